import type { ResponseOf } from "@aiw/contract/api";
import type { ApprovalDetail } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { approvals as t } from "../../i18n/approvals.ts";
import { t as words } from "../../i18n/index.ts";
import { wordCode } from "../../i18n/problems.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DiffView } from "../../ui/diff-view.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { RawText } from "../../ui/json-tree.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

type Results = ResponseOf<"decideMany">["items"];

const Proposal = (props: {
  readonly item: ApprovalDetail;
  readonly result: Results[number] | undefined;
  /** How many changed lines were never on the page (N27). */
  readonly onUnshown: (lines: number) => void;
}): JSX.Element => (
  <li class="flex flex-col gap-2 border-t border-line pt-3">
    <p class="font-medium [overflow-wrap:anywhere]">
      <span class="num">#{props.item.number}</span> <VisibleText text={requestLine(props.item)} />
    </p>
    <Show when={props.result}>
      {(result) => (
        <p class={result().ok ? "text-pos" : "text-neg"} role="status">
          {result().ok
            ? words(`request.${result().status ?? "pending"}`)
            : (wordCode(result().code) ?? t("together.failed"))}
        </p>
      )}
    </Show>
    <Show when={props.item.preview.files} fallback={<RawText text={props.item.args} label={t("sections.arguments")} />}>
      {(files) => <DiffView files={files()} of={`#${String(props.item.number)}`} onUnshown={props.onUnshown} />}
    </Show>
  </li>
);

/**
 * Several open requests of one turn, decided together (APR-15): each is shown whole, and the click makes one decision for each,
 * bound to what was shown, with a result of its own.
 */
export const DecideTogether = (props: { readonly item: ApprovalDetail }): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  const [reason, setReason] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [results, setResults] = createSignal<Results>([]);
  const [unshown, setUnshown] = createSignal<ReadonlyMap<string, number>>(new Map());
  const hidden = (): number => [...unshown().values()].reduce((sum, lines) => sum + lines, 0);
  const ids = (): string[] => [
    props.item.id,
    ...props.item.siblings.filter((sibling) => sibling.status === "pending").map((sibling) => sibling.id),
  ];
  const query = useQuery(() => ({
    // Not below the requests: what is shown stays as it is while it is read, and the decision names its hashes.
    queryKey: ["together", ...ids()],
    enabled: open(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: () => Promise.all(ids().map((approvalId) => call("getApproval", { params: { approvalId } }))),
  }));
  const shown = (): readonly ApprovalDetail[] =>
    query.isPending ? [] : (query.data ?? []).filter((item) => item.decidable && item.responseLabel === null);
  const decide = async (status: "approved" | "rejected"): Promise<void> => {
    if (busy()) return;
    setBusy(true);
    setFailure(null);
    try {
      const requests = shown().map((item) => ({ approvalId: item.id, seenHash: item.snapshotHash }));
      const body = { status, requests, ...(reason().trim() === "" ? {} : { reason: reason().trim() }) };
      setResults((await call("decideMany", { body })).items);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const close = (isOpen: boolean): void => {
    setOpen(isOpen);
    if (isOpen) return;
    setResults([]);
    void queryClient.invalidateQueries({ queryKey: keys.allApprovals });
  };
  return (
    <Show when={props.item.status === "pending" && ids().length > 1}>
      <button type="button" class="btn btn-sm self-start" onClick={() => setOpen(true)}>
        {t("together.open", { count: String(ids().length) })}
      </button>
      <Dialog open={open()} onOpenChange={close} title={t("together.title")} description={t("together.body")}>
        <ul class="mt-3 flex flex-col gap-3">
          <For each={shown()}>
            {(item) => (
              <Proposal
                item={item}
                result={results().find((result) => result.approvalId === item.id)}
                onUnshown={(lines) => setUnshown((known) => new Map(known).set(item.id, lines))}
              />
            )}
          </For>
        </ul>
        <ErrorLine error={failure() ?? (query.isError ? query.error : null)} />
        <Show
          when={results().length === 0}
          fallback={
            <button type="button" class="btn btn-primary mt-3 self-end" onClick={() => close(false)}>
              {t("together.done")}
            </button>
          }
        >
          <div class="mt-3 flex flex-col gap-3">
            <FormField label={t("together.reason")}>
              {(field) => (
                <input
                  {...field}
                  class="input"
                  maxlength={2000}
                  value={reason()}
                  onInput={(event) => setReason(event.currentTarget.value)}
                />
              )}
            </FormField>
            <Show when={hidden() > 0}>
              <p class="text-warn">{t("together.unshown", { lines: String(hidden()) })}</p>
            </Show>
            <div class="flex flex-wrap gap-2">
              <button
                type="button"
                class="btn btn-primary"
                disabled={busy() || shown().length === 0 || hidden() > 0}
                onClick={() => void decide("approved")}
              >
                {t("together.approve", { count: String(shown().length) })}
              </button>
              <button
                type="button"
                class="btn btn-danger"
                disabled={busy() || shown().length === 0 || reason().trim() === ""}
                onClick={() => void decide("rejected")}
              >
                {t("together.reject", { count: String(shown().length) })}
              </button>
            </div>
          </div>
        </Show>
      </Dialog>
    </Show>
  );
};
