import { createStore } from "solid-js/store";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { SendError, sendFile } from "../../data/send-file.ts";
import { uuidv7 } from "../../data/uuid.ts";

/** A file on its way: announced, sent, told. It stays in this list until the import has it, or with its failure until dismissed. */
export interface Sending {
  readonly id: string;
  readonly name: string;
  /** 0 to 1 */
  readonly share: number;
  readonly failure: unknown;
  readonly cancel: () => void;
}

export interface UploadSender {
  readonly sending: readonly Sending[];
  readonly add: (files: readonly File[]) => void;
  readonly dismiss: (id: string) => void;
}

/** Sends files of this page to object storage, two at a time (UPL-1). */
export const createUploadSender = (workspaceId: () => string): UploadSender => {
  const [sending, setSending] = createStore<Sending[]>([]);
  const change = (id: string, part: Partial<Sending>): void => setSending((one) => one.id === id, part);
  const dismiss = (id: string): void => setSending((all) => all.filter((one) => one.id !== id));
  const waiting: (() => Promise<void>)[] = [];
  let active = 0;
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.uploads(workspaceId()) });

  const send = async (id: string, file: File, signal: AbortSignal): Promise<void> => {
    const params = { workspaceId: workspaceId() };
    let uploadId: string | null = null;
    try {
      signal.throwIfAborted();
      const { upload, target } = await call("createUpload", {
        params,
        body: { name: file.name, sizeBytes: file.size },
      });
      uploadId = upload.id;
      await sendFile(target, file, (share) => change(id, { share }), signal);
      await call("completeUpload", { params: { ...params, uploadId } });
      dismiss(id);
    } catch (error) {
      // What was announced and did not arrive takes room for nobody.
      if (uploadId !== null && (signal.aborted || error instanceof SendError))
        await call("removeUpload", { params: { ...params, uploadId } }).catch(() => undefined);
      if (signal.aborted) dismiss(id);
      else change(id, { failure: error });
    }
    await refresh();
  };
  const next = (): void => {
    const work = active < 2 ? waiting.shift() : undefined;
    if (work === undefined) return;
    active += 1;
    void work().finally(() => {
      active -= 1;
      next();
    });
  };
  const add = (files: readonly File[]): void => {
    for (const file of files) {
      const controller = new AbortController();
      const id = uuidv7();
      setSending(sending.length, { id, name: file.name, share: 0, failure: null, cancel: () => controller.abort() });
      waiting.push(() => send(id, file, controller.signal));
      next();
    }
  };
  return { sending, add, dismiss };
};
