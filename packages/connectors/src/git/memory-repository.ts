import git, { type PromiseFsClient } from "isomorphic-git";

/** A bare repository in memory: what the Git library is given as file system and folder. It ends with its last use. */
export interface MemoryRepository {
  readonly fs: PromiseFsClient;
  readonly gitdir: string;
}

const GITDIR = "/repository";

/** `onFile` sees each file before it is kept and may refuse it by throwing. */
export const emptyRepository = async (
  onFile: (path: string, bytes: Buffer) => Promise<void> = async () => undefined,
): Promise<MemoryRepository> => {
  const repository = { fs: { promises: new MemoryFiles(onFile) }, gitdir: GITDIR };
  await git.init({ ...repository, bare: true });
  return repository;
};

/** The few calls of node:fs/promises that the library makes. */
class MemoryFiles {
  private readonly files = new Map<string, Buffer>();
  /** Names in each folder. */
  private readonly folders = new Map<string, Set<string>>();
  private readonly onFile: (path: string, bytes: Buffer) => Promise<void>;

  constructor(onFile: (path: string, bytes: Buffer) => Promise<void>) {
    this.onFile = onFile;
  }

  async readFile(path: string, options?: string | { readonly encoding?: string }): Promise<Buffer | string> {
    const bytes = this.files.get(path);
    if (bytes === undefined) throw ABSENT;
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding === "utf8" ? bytes.toString("utf8") : bytes;
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === "string" ? Buffer.from(content) : asBuffer(content);
    await this.onFile(path, bytes);
    this.files.set(path, bytes);
    this.register(path);
  }

  async mkdir(path: string): Promise<void> {
    if (this.folders.has(path)) return;
    this.folders.set(path, new Set());
    this.register(path);
  }

  async readdir(path: string): Promise<string[]> {
    const names = this.folders.get(path);
    if (names === undefined) throw ABSENT;
    return [...names];
  }

  async stat(path: string): Promise<object> {
    const size = this.files.get(path)?.byteLength;
    if (size === undefined && !this.folders.has(path)) throw ABSENT;
    const [isFile, isDirectory] = [size !== undefined, size === undefined];
    return { size: size ?? 0, isFile: () => isFile, isDirectory: () => isDirectory, isSymbolicLink: () => false };
  }

  lstat(path: string): Promise<object> {
    return this.stat(path);
  }

  async unlink(path: string): Promise<void> {
    if (!this.files.delete(path)) throw ABSENT;
    this.folders.get(parentOf(path))?.delete(nameOf(path));
  }

  async rmdir(path: string): Promise<void> {
    if (!this.folders.delete(path)) throw ABSENT;
    this.folders.get(parentOf(path))?.delete(nameOf(path));
  }

  async readlink(): Promise<never> {
    throw ABSENT;
  }

  async symlink(): Promise<never> {
    throw Object.assign(new Error("There are no links."), { code: "EPERM" });
  }

  /** Enters a name in its folder, and the folder in those above. */
  private register(path: string): void {
    if (path === "") return;
    const folder = parentOf(path);
    const names = this.folders.get(folder);
    if (names !== undefined) {
      names.add(nameOf(path));
      return;
    }
    this.folders.set(folder, new Set([nameOf(path)]));
    this.register(folder);
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** One for all: the library asks for every object as a file of its own first, and a stack for each no is dear. */
const ABSENT: Error = Object.assign(new Error("There is no such file."), { code: "ENOENT" });
