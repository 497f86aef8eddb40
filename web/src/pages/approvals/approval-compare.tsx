import type { ApprovalDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { RawText } from "../../ui/json-tree.tsx";
import { driftText } from "./drift-words.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

type Proposal = Pick<ApprovalDetail, "args" | "preview">;

const Side = (props: {
  readonly title: string;
  readonly proposal: Proposal;
  readonly withArguments: boolean;
}): JSX.Element => (
  <section class="flex min-w-0 flex-col gap-2" aria-label={props.title}>
    <h3 class="label">{props.title}</h3>
    <Show when={props.proposal.preview.files}>{(files) => <DiffView files={files()} of={props.title} />}</Show>
    <Show when={props.withArguments || props.proposal.preview.files === undefined}>
      <div class="panel p-3">
        <RawText text={props.proposal.args} label={props.title} />
      </div>
    </Show>
  </section>
);

/** APR-19: the proposal this one takes the place of, beside it: what the approver had seen, and what is asked now. */
export const ApprovalCompare = (props: {
  readonly item: ApprovalDetail;
  readonly itemHref: (id: string) => string;
}): JSX.Element => (
  <Show when={props.item.predecessor}>
    {(old) => (
      <section aria-labelledby="approval-compare" class="panel flex flex-col gap-3 p-3">
        <div class="flex flex-wrap items-baseline justify-between gap-2">
          <h2 id="approval-compare" class="text-lg">
            {t("compare.title")}
          </h2>
          <A class="link" href={props.itemHref(old().id)}>
            {t("again.predecessor")}
          </A>
        </div>
        <p class="text-ink-2">
          {old().args === props.item.args ? t("compare.sameArguments") : t("compare.otherArguments")}
        </p>
        <Show when={driftText(old())}>
          {(reason) => (
            <p class="[overflow-wrap:anywhere]">
              {t("compare.because")} <VisibleText text={reason()} />
            </p>
          )}
        </Show>
        <details>
          <summary class="min-h-6">{t("compare.show")}</summary>
          <div class="mt-2 grid gap-4 @min-[60rem]:grid-cols-2">
            <Side
              title={t("compare.old", { number: String(old().number) })}
              proposal={old()}
              withArguments={old().args !== props.item.args}
            />
            <Side
              title={t("compare.new", { number: String(props.item.number) })}
              proposal={props.item}
              withArguments={old().args !== props.item.args}
            />
          </div>
        </details>
      </section>
    )}
  </Show>
);
