import type { UploadTarget } from "@aiw/contract/uploads";

/** Sending ended without the storage having the file. */
export class SendError extends Error {
  override readonly name = "SendError";
}

/**
 * Sends a file to the address that was signed for it, straight to object storage (UPL-1). `onProgress` gets the share sent,
 * 0 to 1. A file that is there already counts as sent: an answer may have been lost.
 * @throws SendError
 */
export const sendFile = (
  target: UploadTarget,
  file: Blob,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (): void => reject(new SendError("the file was not sent"));
    request.open(target.method, target.url);
    for (const [name, value] of Object.entries(target.headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      const isThere = request.status === 412;
      if ((request.status >= 200 && request.status < 300) || isThere) resolve();
      else fail();
    });
    request.addEventListener("error", fail);
    request.addEventListener("abort", fail);
    request.addEventListener("timeout", fail);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
