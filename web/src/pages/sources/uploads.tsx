import { useQuery } from "@tanstack/solid-query";
import Upload from "lucide-solid/icons/upload";
import X from "lucide-solid/icons/x";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { SendError } from "../../data/send-file.ts";
import { bytes, percent } from "../../i18n/index.ts";
import { uploads as t } from "../../i18n/uploads.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { UploadRow } from "./upload-row.tsx";
import { createUploadSender, type Sending, type UploadSender } from "./upload-send.ts";

const POLL_MS = 1_000;

const SendingRow = (props: { readonly file: Sending; readonly dismiss: () => void }): JSX.Element => (
  <li class="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
    <span class="min-w-0 flex-1 basis-48 font-medium [overflow-wrap:anywhere]">
      <VisibleText text={props.file.name} />
    </span>
    <Show
      when={props.file.failure === null}
      fallback={
        <div class="flex min-w-0 flex-wrap items-center gap-2">
          <Show when={props.file.failure instanceof SendError} fallback={<ErrorLine error={props.file.failure} />}>
            <p role="alert" class="text-neg">
              {t("sendFailed")}
            </p>
          </Show>
          <button type="button" class="btn btn-sm" onClick={() => props.dismiss()}>
            {t("dismiss")}
          </button>
        </div>
      }
    >
      <progress
        class="h-2 w-40"
        max="1"
        value={props.file.share}
        aria-label={t("progress", { name: props.file.name, percent: percent(props.file.share) })}
      />
      <span class="num text-meta text-ink-2">{percent(props.file.share)}</span>
      <button type="button" class="btn btn-quiet btn-sm" onClick={() => props.file.cancel()}>
        <X size={14} aria-hidden="true" />
        {t("cancel")}
      </button>
    </Show>
  </li>
);

/** Takes files, by the dialog or by dropping them. */
const Drop = (props: { readonly sender: UploadSender; readonly room: string }): JSX.Element => {
  const [over, setOver] = createSignal(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    props.sender.add([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <div
      class={`flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-dashed p-3 ${over() ? "border-accent bg-sunken" : "border-line-strong"}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label class="btn btn-primary cursor-pointer focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
        <Upload size={16} aria-hidden="true" />
        {t("pick")}
        <input
          type="file"
          class="sr-only"
          multiple
          accept=".csv,.tsv,.parquet"
          onChange={(event) => {
            props.sender.add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
      </label>
      <span class="hidden text-ink-2 md:inline">{t("drop")}</span>
      <span class="text-meta text-ink-2">{props.room}</span>
    </div>
  );
};

/** Uploaded files of a workspace: send, follow the import, look at the columns, delete (UPL-1, UPL-3). */
export const UploadsPanel = (props: { readonly workspaceId: string }): JSX.Element => {
  const sender = createUploadSender(() => props.workspaceId);
  const query = useQuery(() => ({
    queryKey: keys.uploads(props.workspaceId),
    queryFn: () => call("listUploads", { params: { workspaceId: props.workspaceId } }),
    refetchInterval: (state) =>
      state.state.data?.items.some(({ status }) => status === "importing") === true ? POLL_MS : false,
  }));
  return (
    <section class="panel p-4" aria-labelledby="uploads-title">
      <h2 id="uploads-title" class="text-lg">
        {t("title")}
      </h2>
      <p class="mb-3 max-w-[70ch] text-ink-2">{t("intro")}</p>
      <QueryPanel query={query} rows={3}>
        {(data) => (
          <div class="flex flex-col gap-3">
            <Drop
              sender={sender}
              room={t("room", {
                used: bytes(data().usedBytes),
                quota: bytes(data().quotaBytes),
                max: bytes(data().maxFileBytes),
              })}
            />
            <Show when={sender.sending.length > 0}>
              <ul class="divide-y divide-line rounded-control border border-line" aria-label={t("sending")}>
                <For each={sender.sending}>
                  {(file) => <SendingRow file={file} dismiss={() => sender.dismiss(file.id)} />}
                </For>
              </ul>
            </Show>
            <Show
              when={data().items.length > 0}
              fallback={<EmptyState title={t("empty.title")}>{t("empty.hint")}</EmptyState>}
            >
              <ul class="divide-y divide-line rounded-control border border-line" aria-label={t("listLabel")}>
                <For each={data().items}>
                  {(upload) => <UploadRow workspaceId={props.workspaceId} upload={upload} />}
                </For>
              </ul>
            </Show>
          </div>
        )}
      </QueryPanel>
    </section>
  );
};
