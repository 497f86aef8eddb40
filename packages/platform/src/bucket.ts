import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  NotFound,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";

export type BucketOptions = {
  /** Only for an emulator; the cloud's own address otherwise. */
  endpoint?: string;
  region: string;
  bucket: string;
  client?: S3Client;
};

export type StoredObject = { key: string; sizeBytes: number };

/** Object storage by key. Nothing is overwritten by accident when keys hold the content's hash, which is the rule. */
export type Bucket = {
  put(key: string, bytes: Uint8Array, contentType?: string): Promise<void>;
  /** The bytes, or null when there is no such object. */
  get(key: string): Promise<Uint8Array | null>;
  head(key: string): Promise<{ sizeBytes: number; contentType: string | undefined } | null>;
  /** Deleting what does not exist is no error. */
  delete(key: string): Promise<void>;
  /** All objects whose key begins with `prefix`, in key order. */
  list(prefix: string): Promise<StoredObject[]>;
  close(): void;
};

/** A key no storage should be asked for: empty, absolute, with `..`, empty segments or unusual characters. */
export class BucketKeyError extends Error {
  override readonly name = "BucketKeyError";
  constructor() {
    super("the object key is not acceptable");
  }
}

/** A bucket by its name. @throws BucketKeyError from every call with a bad key */
export function createBucket(options: BucketOptions): Bucket {
  const client = options.client ?? createS3Client(options.region, options.endpoint);
  const at = (key: string) => ({ Bucket: options.bucket, Key: checkKey(key) });
  return {
    put: async (key, bytes, contentType = "application/octet-stream") => {
      await client.send(new PutObjectCommand({ ...at(key), Body: bytes, ContentType: contentType }));
    },
    get: async (key) => {
      const target = at(key);
      return orNull(async () => {
        const { Body } = await client.send(new GetObjectCommand(target));
        return Body === undefined ? new Uint8Array() : Body.transformToByteArray();
      });
    },
    head: async (key) => {
      const target = at(key);
      return orNull(async () => {
        const { ContentLength, ContentType } = await client.send(new HeadObjectCommand(target));
        return { sizeBytes: ContentLength ?? 0, contentType: ContentType };
      });
    },
    delete: async (key) => {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    list: (prefix) => listAll(client, options.bucket, checkPrefix(prefix)),
    close: () => client.destroy(),
  };
}

/** Creates the bucket where missing, for a stack that runs on an emulator. */
export async function ensureBucket(endpoint: string, region: string, bucket: string): Promise<void> {
  const client = createS3Client(region, endpoint);
  try {
    const found = await orNull(() => client.send(new HeadBucketCommand({ Bucket: bucket })));
    if (found === null) await client.send(new CreateBucketCommand({ Bucket: bucket }));
    // Browsers send uploads from the product's own origin; what they may send is signed.
    const rule = { AllowedMethods: ["PUT"], AllowedOrigins: ["*"], AllowedHeaders: ["*"], MaxAgeSeconds: 600 };
    await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } }));
  } finally {
    client.destroy();
  }
}

function createS3Client(region: string, endpoint?: string): S3Client {
  return new S3Client({
    region,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 60_000 },
    ...(endpoint === undefined
      ? {}
      : { endpoint, forcePathStyle: true, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
  });
}

async function listAll(client: S3Client, bucket: string, prefix: string): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    for (const item of page.Contents ?? []) {
      if (item.Key !== undefined) found.push({ key: item.Key, sizeBytes: item.Size ?? 0 });
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return found;
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NotFound || error instanceof NoSuchKey) return null;
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
    throw error;
  }
}

const KEY = /^[A-Za-z0-9!_.*'()=@+,~-]+(\/[A-Za-z0-9!_.*'()=@+,~-]+)*$/;
const MAX_KEY_LENGTH = 900;

function checkKey(key: string): string {
  const dotted = key.split("/").some((segment) => segment === "." || segment === "..");
  if (key.length > MAX_KEY_LENGTH || dotted || !KEY.test(key)) throw new BucketKeyError();
  return key;
}

function checkPrefix(prefix: string): string {
  if (prefix === "") return prefix;
  checkKey(prefix.endsWith("/") ? prefix.slice(0, -1) : prefix);
  return prefix;
}
