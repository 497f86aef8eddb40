import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSandbox, SandboxError } from "@aiw/platform/sandbox";
import { workFolder } from "./files.ts";
import { DEFAULT_LIMITS, type UploadsLimits } from "./limits.ts";
import type { UploadFault, UploadFormat } from "@aiw/contract/uploads";
import { importAnswer, type ImportAnswer, type ImportOrder } from "./order.ts";
import { PROGRAM } from "./program.ts";

export type Imported =
  | {
      readonly kind: "imported";
      readonly file: Uint8Array;
      readonly facts: Extract<ImportAnswer, { kind: "imported" }>;
    }
  | Extract<ImportAnswer, { kind: "bad_file" }>;

/** Turns the bytes of an uploaded file into a DuckDB file (UPL-1). */
export interface Importer {
  /** @throws what is a fault of ours; a file that takes all time or memory, or kills its process, is a bad file (M10) */
  run(file: { bytes: Uint8Array; format: UploadFormat; name: string }, signal: AbortSignal): Promise<Imported>;
  close(): void;
}

export const createImporter = (changed: Partial<UploadsLimits> = {}): Importer => {
  const limits = { ...DEFAULT_LIMITS, ...changed };
  const directory = workFolder();
  const sandbox = createSandbox({ program: PROGRAM, directory, maxBytes: limits.importMaxBytes });
  return {
    run: async ({ bytes, format, name }, signal) => {
      const folder = join(directory, randomUUID());
      await mkdir(folder);
      try {
        const [input, output] = [join(folder, "original"), join(folder, "data.duckdb")];
        await writeFile(input, bytes);
        const order: ImportOrder = {
          kind: "import",
          format,
          input,
          output,
          tab: /\.tsv$/i.test(name),
          memoryBytes: limits.importMemoryBytes,
          maxRows: limits.maxImportRows,
          maxTableBytes: limits.maxTableBytes,
        };
        const answer = importAnswer.parse(await sandbox.run(order, { wallMs: limits.importMs, signal }));
        if (answer.kind === "bad_file") return answer;
        return { kind: "imported", file: await readFile(output), facts: answer };
      } catch (error) {
        if (!(error instanceof SandboxError) || error.why === "aborted") throw error;
        return { kind: "bad_file", fault: { code: ENDED[error.why](format) } };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: () => sandbox.close(),
  };
};

const ENDED: Readonly<Record<"time" | "memory" | "died", (format: UploadFormat) => UploadFault["code"]>> = {
  time: () => "upload_unfolds_too_large",
  memory: () => "upload_unfolds_too_large",
  died: (format) => (format === "parquet" ? "upload_parquet_damaged" : "upload_unfolds_too_large"),
};
