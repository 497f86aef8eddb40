import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

export interface PresignOptions {
  readonly region: string;
  readonly bucket: string;
  /** Where browsers reach the storage, when that is not the cloud's own address: an emulator, or a name in front of one. */
  readonly endpoint?: string;
}

export interface SignedPut {
  readonly method: "PUT";
  readonly url: string;
  /** Sent by the browser as they stand; the length it adds by itself, and it is part of the signature. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs addresses to which a browser may send one object (UPL-1). */
export interface Presigner {
  /** Exactly `bytes` bytes at exactly this key, until `expiresInS` seconds have passed. Anything else has another signature. */
  put(key: string, bytes: number, expiresInS: number): Promise<SignedPut>;
  /** The origin of all these addresses, for the content security policy. */
  readonly origin: string;
  close(): void;
}

const CONTENT_TYPE = "application/octet-stream";

/** Signing happens here and asks nobody; the rights are those of the process's own credentials. */
export const createPresigner = ({ region, bucket, endpoint }: PresignOptions): Presigner => {
  const client = new S3Client({
    region,
    // A checksum of the body, which is not known here, would be that of an empty one.
    requestChecksumCalculation: "WHEN_REQUIRED",
    ...(endpoint === undefined
      ? {}
      : { endpoint, forcePathStyle: true, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
  });
  const put: Presigner["put"] = async (key, bytes, expiresInS) => {
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      ContentLength: bytes,
      ContentType: CONTENT_TYPE,
      // A second sending does not replace what an import may be reading.
      IfNoneMatch: "*",
    });
    const url = await getSignedUrl(client, command, {
      expiresIn: expiresInS,
      signableHeaders: new Set(["host", "content-length", "content-type", "if-none-match"]),
      unhoistableHeaders: new Set(["if-none-match"]),
    });
    return { method: "PUT", url, headers: { "content-type": CONTENT_TYPE, "if-none-match": "*" } };
  };
  return {
    put,
    origin: endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : new URL(endpoint).origin,
    close: () => client.destroy(),
  };
};
