import type { ApprovalDetail } from "@aiw/contract/views";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createMemo, createSignal, For, on, type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { num } from "../../i18n/index.ts";
import { type DiffControls, DiffView } from "../../ui/diff-view.tsx";
import { Hash } from "../../ui/hash.tsx";
import { JsonText, RawText } from "../../ui/json-tree.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { FactList } from "./approval-facts.tsx";
import { fieldLabel, fieldValue } from "./preview-words.ts";
import { otherEvidence, rehearsalText } from "./rehearsal.ts";

export interface ChangeProps {
  readonly item: ApprovalDetail;
  readonly controls: (controls: DiffControls | null) => void;
  readonly onOpenCount: (open: number) => void;
  readonly onUnshown: (lines: number) => void;
}

/** The change itself, rendered from what is frozen. It is built once for a hash: later states of the request do not touch it. */
export const ApprovalChange = (props: ChangeProps): JSX.Element => {
  const preview = createMemo(
    on(
      () => props.item.snapshotHash,
      () => props.item.preview,
    ),
  );
  return (
    <section aria-labelledby="approval-change" class="flex flex-col gap-3">
      <h2 id="approval-change" class="text-lg">
        {props.item.responseLabel === null ? t("sections.change") : t("sections.input")}
      </h2>
      <Show
        when={preview().files}
        fallback={
          <Show when={(preview().fields ?? []).length === 0}>
            <p class="text-ink-2">{props.item.responseLabel === null ? t("generalPreview") : t("respond.noValues")}</p>
          </Show>
        }
      >
        {(files) => (
          <DiffView
            files={files()}
            controls={props.controls}
            onOpenCount={props.onOpenCount}
            onUnshown={props.onUnshown}
          />
        )}
      </Show>
      <Show when={(preview().fields ?? []).length > 0}>
        <dl class="panel grid gap-x-4 gap-y-1 p-3 md:grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)]">
          <For each={preview().fields}>
            {(field) => (
              <>
                <dt class="text-ink-2">
                  <VisibleText text={fieldLabel(preview().kind, field.label)} />
                </dt>
                <dd class="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <VisibleText text={fieldValue(preview().kind, field.label, field.value)} />
                </dd>
              </>
            )}
          </For>
        </dl>
      </Show>
      <Show when={props.item.responseLabel}>
        {(label) => (
          <p>
            {t("respond.asks")}:{" "}
            <span class="font-medium">
              <VisibleText text={label()} />
            </span>
          </p>
        )}
      </Show>
      <p class="text-meta text-ink-2 [overflow-wrap:anywhere]" hidden={props.item.responseLabel !== null}>
        <Show when={preview().rehearsal} fallback={t("noRehearsal")}>
          {(told) => (
            <>
              {t("rehearsal")}: <VisibleText text={rehearsalText(preview(), told())} />
            </>
          )}
        </Show>
      </p>
      <Show when={otherEvidence(preview().rehearsal)}>
        {(evidence) => <FactList facts={evidence()} label={(key) => key} />}
      </Show>
    </section>
  );
};

/** The frozen bytes that run, as a tree or as they are, with their size and hash (APR-2). */
export const ApprovalArguments = (props: { readonly item: ApprovalDetail }): JSX.Element => {
  const [asText, setAsText] = createSignal(false);
  const args = createMemo(() => props.item.args);
  return (
    <section aria-labelledby="approval-arguments" class="flex flex-col gap-2">
      <div class="flex flex-wrap items-center justify-between gap-2">
        <h2 id="approval-arguments" class="text-lg">
          {t("sections.arguments")}
        </h2>
        <div class="flex gap-1" role="group" aria-label={t("sections.arguments")}>
          <button type="button" class="btn btn-sm" aria-pressed={!asText()} onClick={() => setAsText(false)}>
            {t("argsTree")}
          </button>
          <button type="button" class="btn btn-sm" aria-pressed={asText()} onClick={() => setAsText(true)}>
            {t("argsText")}
          </button>
        </div>
      </div>
      <p class="flex flex-wrap items-center gap-x-3 text-meta text-ink-2">
        {t("argsSize", { bytes: num(props.item.argsBytes) })}
        <Hash value={props.item.argsHash} label={t("hash.copy")} />
      </p>
      <HiddenWarning count={props.item.hiddenCharacters} />
      <div class="panel p-3">
        <Show when={asText()} fallback={<JsonText text={args()} />}>
          <RawText text={args()} label={t("sections.arguments")} />
        </Show>
      </div>
    </section>
  );
};

export const HiddenWarning = (props: { readonly count: number }): JSX.Element => (
  <Show when={props.count > 0}>
    <p class="flex items-start gap-1.5 rounded-control bg-neg-bg px-3 py-1.5 text-neg">
      <TriangleAlert size={16} class="mt-0.5 shrink-0" aria-hidden="true" />
      {t("hidden", props.count)}
    </p>
  </Show>
);
