import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildApp } from "fauxqs";
import type { BuildAppOptions } from "fauxqs";

export type Emulator = {
  /** Address of both services, SQS and S3. */
  endpoint: string;
  stop(): Promise<void>;
};

export type EmulatorOptions = {
  /** Objects are kept as files in its folder `s3`. */
  dataDir: string;
  /** Default: any free one. */
  port?: number;
  region?: string;
};

type Stores = NonNullable<BuildAppOptions["stores"]>;
type ObjectFiles = NonNullable<Stores["s3Store"]["persistence"]> & {
  loadS3(store: Stores["s3Store"]): void;
  close(): void;
};

/**
 * SQS and S3 for the local stack, on loopback only. Objects survive a restart; messages live in memory, since the
 * emulator's own store loses a message whose visibility is set to 0. A restart therefore begins with empty queues, and
 * the sweeper rings again for every run that waits for its doorbell (messages are hints, rows are the truth).
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const folder = join(options.dataDir, "s3");
  await mkdir(folder, { recursive: true });
  const parts = await loadParts();
  const stores: Stores = {
    sqsStore: new parts.SqsStore(),
    snsStore: new parts.SnsStore(),
    s3Store: new parts.S3Store(),
  };
  const files = new parts.FileS3Persistence(folder);
  files.loadS3(stores.s3Store);
  stores.s3Store.persistence = files;
  const app = buildApp({ logger: false, defaultRegion: options.region ?? "eu-central-1", stores });
  app.addHook("preClose", async () => files.close());
  // Browsers send uploads from the product's own origin, and ask first (docs/localstack.md).
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.origin === undefined) return;
    void reply.headers({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "PUT",
      "access-control-allow-headers": "*",
      "access-control-max-age": "600",
    });
    if (request.method === "OPTIONS") await reply.code(204).send();
  });
  const endpoint = await app.listen({ port: options.port ?? 0, host: "127.0.0.1" });
  return { endpoint, stop: () => app.close() };
}

type Parts = {
  SqsStore: new () => Stores["sqsStore"];
  SnsStore: new () => Stores["snsStore"];
  S3Store: new () => Stores["s3Store"];
  FileS3Persistence: new (folder: string) => ObjectFiles;
};

/** The package's own start function listens on all interfaces; its parts are put together here to avoid that. */
async function loadParts(): Promise<Parts> {
  const entry = import.meta.resolve("fauxqs");
  const load = (file: string): Promise<Partial<Parts>> => import(new URL(file, entry).href);
  const [sqs, sns, s3, files] = await Promise.all([
    load("./sqs/sqsStore.js"),
    load("./sns/snsStore.js"),
    load("./s3/s3Store.js"),
    load("./s3/fileS3Persistence.js"),
  ]);
  const { SqsStore } = sqs;
  const { SnsStore } = sns;
  const { S3Store } = s3;
  const { FileS3Persistence } = files;
  if (SqsStore === undefined || SnsStore === undefined || S3Store === undefined || FileS3Persistence === undefined) {
    throw new Error("this version of the emulator has other parts than expected");
  }
  return { SqsStore, SnsStore, S3Store, FileS3Persistence };
}
