import type { ApprovalDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { dateTime } from "../../i18n/index.ts";
import { RawText } from "../../ui/json-tree.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { FactList } from "./approval-facts.tsx";
import { factLabel, Receipt } from "./approval-receipt.tsx";
import { RequestAgain } from "./request-again.tsx";

const TONE: Readonly<Record<ApprovalDetail["status"], string>> = {
  pending: "border-line",
  approved: "border-info bg-info-bg",
  executing: "border-info bg-info-bg",
  executed: "border-pos bg-pos-bg",
  rejected: "border-neg bg-surface",
  expired: "border-line-strong bg-mute-bg",
  cancelled: "border-line-strong bg-mute-bg",
  invalid: "border-hold bg-hold-bg",
  failed: "border-neg bg-neg-bg",
  unknown: "border-neg bg-surface",
};

/** Executed by the word of a person: nothing outside confirmed it (RUN-7). */
const byWord = (item: ApprovalDetail): boolean =>
  item.status === "executed" && item.reconciled && item.settledBy !== null && item.facts === null;

const headline = (item: ApprovalDetail): string => {
  const name = item.decidedBy?.displayName ?? "";
  switch (item.status) {
    case "pending":
      return "";
    case "approved":
      return item.allowedByPolicy ? t("outcome.approvedByPolicy") : t("outcome.approved", { name });
    case "rejected":
      return t("outcome.rejected", { name });
    case "executed":
      return t(byWord(item) ? "outcome.byWord" : "outcome.executed");
    default:
      return t(`outcome.${item.status}`);
  }
};

const body = (item: ApprovalDetail): string | null => {
  switch (item.status) {
    case "executed":
      return t(byWord(item) ? "outcome.byWordBody" : "outcome.executedBody");
    case "rejected":
      return t("outcome.rejectedHint");
    case "expired":
      return item.mayRequestAgain && item.expiresAt !== null
        ? t("outcome.expiredBody", { time: dateTime(item.expiresAt) })
        : t("outcome.expiredNobody");
    case "cancelled":
      return t("outcome.cancelledBody");
    case "invalid":
      return t(`invalidReason.${item.invalidReason ?? "none"}`);
    case "unknown":
      return t("outcome.unknownBody");
    case "failed":
      return item.settledBy === null ? null : t("outcome.failedUnclear");
    default:
      return null;
  }
};

/** What became of a request that is no longer open; the heading takes the focus after a decision. */
export const ApprovalOutcome = (props: {
  readonly item: ApprovalDetail;
  readonly itemHref: (id: string) => string;
  readonly ref: (heading: HTMLElement) => void;
}): JSX.Element => (
  <section
    class={`rounded-panel border p-4 ${TONE[props.item.status]}`}
    aria-labelledby="approval-outcome"
    aria-live="polite"
  >
    <h2 id="approval-outcome" class="text-lg" tabindex={-1} ref={props.ref}>
      <VisibleText text={headline(props.item)} />
    </h2>
    <Show when={body(props.item)}>{(text) => <p class="mt-1 max-w-[70ch]">{text()}</p>}</Show>
    <Show when={props.item.decidedAt}>
      {(at) => <p class="mt-1 text-meta text-ink-2">{t("outcome.at", { time: dateTime(at()) })}</p>}
    </Show>
    <Show when={props.item.decisionReason}>
      {(reason) => (
        <p class="mt-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <VisibleText
            text={
              props.item.status === "rejected"
                ? t("outcome.rejectedBody", { reason: reason() })
                : t("outcome.comment", { reason: reason() })
            }
          />
        </p>
      )}
    </Show>
    <Show when={props.item.settledBy}>
      {(settled) => (
        <p class="mt-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <VisibleText text={t("outcome.settledBy", { name: settled().by.displayName, comment: settled().comment })} />
        </p>
      )}
    </Show>
    <div class="mt-2 flex flex-wrap gap-1.5">
      <Show when={props.item.selfApproval}>
        <span class="badge border-line-strong">{t("outcome.self")}</span>
      </Show>
      <Show when={props.item.allowedByPolicy}>
        <span class="badge border-line-strong">{t("outcome.byPolicy")}</span>
      </Show>
      <Show when={props.item.reconciled}>
        <span class="badge border-line-strong">{t("outcome.reconciled")}</span>
      </Show>
    </div>
    <Show when={byWord(props.item) ? null : props.item.executedHash}>
      {(hash) => <Receipt item={props.item} executedHash={hash()} />}
    </Show>
    <Show when={props.item.effects.length === 0 ? props.item.facts : null}>
      {(facts) => (
        <div class="mt-2">
          <FactList facts={facts()} label={factLabel} />
        </div>
      )}
    </Show>
    <Show when={props.item.result}>
      {(result) => (
        <details class="mt-2">
          <summary class="min-h-6">{t("sections.result")}</summary>
          <RawText text={result()} label={t("sections.result")} />
        </details>
      )}
    </Show>
    <Show when={props.item.status === "unknown"}>
      <A class="btn mt-3" href={`/w/${props.item.workspaceId}/runs/${props.item.runId}`}>
        {t("outcome.reconcile")}
      </A>
    </Show>
    <RequestAgain item={props.item} itemHref={props.itemHref} />
  </section>
);
