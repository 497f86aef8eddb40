import type { Upload, UploadColumn, UploadFault } from "@aiw/contract/uploads";
import Check from "lucide-solid/icons/check";
import Clock from "lucide-solid/icons/clock";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import Trash from "lucide-solid/icons/trash";
import X from "lucide-solid/icons/x";
import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { bytes, num } from "../../i18n/index.ts";
import { uploads as t } from "../../i18n/uploads.ts";
import { Badge, type Icon, type Tone } from "../../ui/badge.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const LOOK: Readonly<Record<Upload["status"], { readonly tone: Tone; readonly icon: Icon; readonly spin?: boolean }>> =
  {
    waiting: { tone: "mute", icon: Clock },
    importing: { tone: "info", icon: LoaderCircle, spin: true },
    ready: { tone: "pos", icon: Check },
    failed: { tone: "neg", icon: X },
  };

/** What was wrong, with line and column where it is known. */
const faultText = ({ code, line, column, expected, found }: UploadFault): string =>
  t(`fault.${code}`, { line: line ?? "", column: column ?? "", expected: expected ?? "", found: found ?? "" });

const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe" } as const;
const isNamed = (delimiter: string): delimiter is keyof typeof DELIMITERS => Object.hasOwn(DELIMITERS, delimiter);

const noteText = (note: NonNullable<UploadColumn["note"]>): string =>
  t(`note.${note.why}`, { line: note.line, value: note.value });

const Columns = (props: { readonly upload: Upload; readonly columns: readonly UploadColumn[] }): JSX.Element => (
  <div class="mt-2 flex flex-col gap-2">
    <Show when={props.upload.dialect}>
      {(dialect) => (
        <p class="text-meta text-ink-2">
          {t("dialect", {
            encoding: dialect().encoding.toUpperCase(),
            delimiter: isNamed(dialect().delimiter)
              ? t(`delimiter.${DELIMITERS[dialect().delimiter as keyof typeof DELIMITERS]}`)
              : dialect().delimiter,
            header: dialect().header ? t("withHeader") : t("withoutHeader"),
          })}
        </p>
      )}
    </Show>
    <div
      class="max-h-80 overflow-auto rounded-control border border-line"
      tabindex="0"
      role="region"
      aria-label={`${t("table")} ${props.upload.table}`}
    >
      <table class="w-full min-w-[32rem] border-collapse text-left">
        <thead class="sticky top-0 bg-sunken text-meta">
          <tr>
            <th scope="col" class="px-2.5 py-1.5">
              {t("column")}
            </th>
            <th scope="col" class="px-2.5 py-1.5">
              {t("type")}
            </th>
            <th scope="col" class="px-2.5 py-1.5">
              {t("examples")}
            </th>
            <th scope="col" class="px-2.5 py-1.5 text-right">
              {t("nulls")}
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.columns}>
            {(column) => (
              <tr class="border-t border-line align-top">
                <th scope="row" class="px-2.5 py-1 min-w-24 font-medium [overflow-wrap:anywhere]">
                  <VisibleText text={column.name} />
                </th>
                <td class="px-2.5 py-1">
                  <code class="mono">{column.type}</code>
                  <Show when={column.note}>
                    {(note) => (
                      <p class="max-w-72 text-meta text-warn">
                        <VisibleText text={noteText(note())} />
                      </p>
                    )}
                  </Show>
                </td>
                <td class="px-2.5 py-1 text-meta text-ink-2 [overflow-wrap:anywhere]">
                  <VisibleText text={column.examples.join(" · ")} />
                </td>
                <td class="num px-2.5 py-1 text-right">{num(column.nulls)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  </div>
);

const Remove = (props: { readonly workspaceId: string; readonly upload: Upload }): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const remove = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await call("removeUpload", { params: { workspaceId: props.workspaceId, uploadId: props.upload.id } });
      setOpen(false);
      toast(t("remove.done"));
      await queryClient.invalidateQueries({ queryKey: keys.uploads(props.workspaceId) });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class="btn-icon"
        aria-label={t("remove.label", { name: props.upload.name })}
        onClick={() => setOpen(true)}
      >
        <Trash size={16} aria-hidden="true" />
      </button>
      <Dialog
        open={open()}
        onOpenChange={setOpen}
        title={t("remove.title", { name: props.upload.name })}
        description={t("remove.hint", { table: props.upload.table })}
      >
        <ErrorLine error={failure()} />
        <div class="flex flex-wrap gap-2">
          <button type="button" class="btn btn-danger" disabled={busy()} onClick={() => void remove()}>
            {t("remove.confirm")}
          </button>
          <button type="button" class="btn" onClick={() => setOpen(false)}>
            {t("remove.keep")}
          </button>
        </div>
      </Dialog>
    </>
  );
};

/** One uploaded file: what became of it, its table, its columns with types and examples (UPL-1). */
export const UploadRow = (props: { readonly workspaceId: string; readonly upload: Upload }): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  const columnsId = createUniqueId();
  const facts = (): string =>
    [
      ...(props.upload.rows === null ? [] : [t("rows", props.upload.rows, num(props.upload.rows))]),
      ...(props.upload.columns === null ? [] : [t("columns", props.upload.columns.length)]),
      bytes(props.upload.storedBytes ?? props.upload.sizeBytes),
    ].join(" · ");
  return (
    <li class="px-4 py-3">
      <div class="flex items-start gap-2">
        <div class="min-w-0 flex-1">
          <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span class="font-medium [overflow-wrap:anywhere]">
              <VisibleText text={props.upload.name} />
            </span>
            <Badge {...LOOK[props.upload.status]}>{t(`status.${props.upload.status}`)}</Badge>
          </div>
          <Show when={props.upload.status === "ready"}>
            <p>
              {t("table")} <code class="mono">{props.upload.table}</code>
            </p>
          </Show>
          <Show when={props.upload.fault}>
            {(fault) => (
              <p class="text-neg">
                {faultText(fault())} {t("nothingKept")}
              </p>
            )}
          </Show>
          <p class="text-meta text-ink-2">
            {facts()} · {t("by")} <VisibleText text={props.upload.createdBy.displayName} />,{" "}
            <RelativeTime at={props.upload.createdAt} />
          </p>
        </div>
        <Show when={props.upload.mayDelete}>
          <Remove workspaceId={props.workspaceId} upload={props.upload} />
        </Show>
      </div>
      <Show when={props.upload.columns}>
        {(columns) => (
          <>
            <button
              type="button"
              class="btn btn-quiet btn-sm mt-1 -ml-2"
              aria-expanded={open()}
              aria-controls={columnsId}
              onClick={() => setOpen(!open())}
            >
              {open() ? t("hide") : t("show")}
            </button>
            <div id={columnsId}>
              <Show when={open()}>
                <Columns upload={props.upload} columns={columns()} />
              </Show>
            </div>
          </>
        )}
      </Show>
    </li>
  );
};
