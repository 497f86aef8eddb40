import type { ApprovalSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { t as words } from "../../i18n/index.ts";
import { approvals as t } from "../../i18n/approvals.ts";
import { Countdown } from "../../ui/countdown.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RequestTitle } from "../../ui/request-title.tsx";
import { RequestKind } from "../../ui/request-kind.tsx";
import { RequestBadge } from "../../ui/state-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

/** A request in the list: risk, what, who, where, and how long there is left. */
export const ApprovalRow = (props: {
  readonly item: ApprovalSummary;
  readonly href: string;
  readonly current: boolean;
  readonly showWorkspace: boolean;
}): JSX.Element => (
  <A
    href={props.href}
    noScroll
    data-approval={props.item.id}
    aria-current={props.current ? "true" : undefined}
    class={`block border-l-4 px-3 py-2 hover:bg-sunken focus-visible:-outline-offset-2 ${props.current ? "border-accent bg-sunken" : "border-transparent"}`}
  >
    <span class="flex flex-wrap items-center gap-1.5">
      <RequestKind item={props.item} />
      <Show when={props.item.level === "global_approver"}>
        <span class="badge border-line-strong text-ink-2">{t("levelBadge.global_approver")}</span>
      </Show>
      <Show when={props.item.fourEyes}>
        <span class="badge border-line-strong text-ink-2">{words("fourEyes")}</span>
      </Show>
      <span class="ml-auto text-meta">
        <Show
          when={props.item.status === "pending" && props.item.expiresAt}
          fallback={<RequestBadge status={props.item.status} byPolicy={props.item.allowedByPolicy} />}
        >
          {(until) => <Countdown until={until()} />}
        </Show>
      </span>
    </span>
    <RequestTitle item={props.item} short class="mt-1 line-clamp-3 font-medium [overflow-wrap:anywhere]" />
    <span class="mt-0.5 flex flex-wrap gap-x-2 text-meta text-ink-2">
      <span class="num">#{props.item.number}</span>
      <span>
        <VisibleText text={t("row.by", { name: props.item.requester.displayName })} />
      </span>
      <Show when={props.item.sourceName}>
        {(name) => (
          <span>
            <VisibleText text={name()} />
          </span>
        )}
      </Show>
      <Show when={props.showWorkspace}>
        <span>
          <VisibleText text={props.item.workspaceName} />
        </span>
      </Show>
      <RelativeTime at={props.item.createdAt} />
    </span>
    <Show when={props.item.status === "pending" && !props.item.decidable && props.item.notDecidable === "four_eyes"}>
      <span class="mt-0.5 block text-meta text-ink-2">{t("blocked.four_eyes")}</span>
    </Show>
  </A>
);
