import type { ApprovalDetail } from "@aiw/contract/views";
import { type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";

const Notice = (props: { readonly title: string; readonly body: string }): JSX.Element => (
  <div role="status" class="rounded-panel border border-warn bg-warn-bg p-3 text-warn">
    <p class="font-medium">{props.title}</p>
    <p>{props.body}</p>
  </div>
);

/** What whoever decides has to know beforehand: writes are stopped, an approval would execute nothing (F48), something is masked. */
export const ApprovalNotices = (props: { readonly item: ApprovalDetail }): JSX.Element => (
  <>
    <Show when={props.item.stopped}>
      <Notice
        title={t("stopped.title")}
        body={props.item.status === "approved" ? t("stopped.approved") : t("stopped.pending")}
      />
    </Show>
    <Show when={props.item.overtaken}>
      {(reason) => (
        <Notice
          title={t("overtaken.title")}
          body={t(`overtaken.${reason() === "superseded" ? "superseded" : "other"}`)}
        />
      )}
    </Show>
    <Show when={props.item.masked}>
      <p class="rounded-panel border border-warn bg-warn-bg p-3 text-warn">{t("masked")}</p>
    </Show>
  </>
);
