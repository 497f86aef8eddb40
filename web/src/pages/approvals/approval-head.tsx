import type { ApprovalDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { t as words } from "../../i18n/index.ts";
import { explain } from "../../i18n/policy.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Countdown } from "../../ui/countdown.tsx";
import { Person } from "../../ui/person.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { RequestQuote } from "../../ui/request-title.tsx";
import { RequestKind } from "../../ui/request-kind.tsx";
import { RequestBadge } from "../../ui/state-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

/** What is asked, by whom, where, how long there is left, and why (APR-1). */
export const ApprovalHead = (props: { readonly item: ApprovalDetail; readonly isMember: boolean }): JSX.Element => (
  <header class="flex flex-col gap-2">
    <div class="flex flex-wrap items-center gap-1.5">
      <RequestKind item={props.item} />
      <RequestBadge status={props.item.status} byPolicy={props.item.allowedByPolicy} />
      <Show when={props.item.level === "global_approver"}>
        <span class="badge border-line-strong text-ink-2">{t("levelBadge.global_approver")}</span>
      </Show>
      <Show when={props.item.fourEyes}>
        <span class="badge border-line-strong text-ink-2">{words("fourEyes")}</span>
      </Show>
      <span class="ml-auto flex items-center gap-2">
        <Show when={props.item.status === "pending" && props.item.expiresAt}>
          {(until) => <Countdown until={until()} class="font-medium" />}
        </Show>
        <CopyButton text={`${location.origin}/approvals/${props.item.id}`} label={t("copyLink")} />
      </span>
    </div>
    <div>
      <h1 class="text-xl [overflow-wrap:anywhere]">
        <VisibleText text={requestLine(props.item)} />
      </h1>
      <RequestQuote item={props.item} />
    </div>
    <p class="flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-2">
      <span class="num">{t("itemTitle", { number: String(props.item.number) })}</span>
      <code class="mono">{props.item.tool}</code>
      <Show when={props.item.sourceName}>
        {(name) => (
          <span>
            {t("meta.source")}: <VisibleText text={name()} />
          </span>
        )}
      </Show>
      <span>
        {t("meta.workspace")}: <VisibleText text={props.item.workspaceName} />
      </span>
      <span class="flex items-center gap-1.5">
        {t("meta.requester")} <Person person={props.item.requester} />
      </span>
      <RelativeTime at={props.item.createdAt} />
      <Show when={props.isMember}>
        <Show when={props.item.chatId}>
          {(chat) => (
            <A class="link" href={`/w/${props.item.workspaceId}/chats/${chat()}`}>
              {t("meta.chat")}
            </A>
          )}
        </Show>
        <A class="link" href={`/w/${props.item.workspaceId}/runs/${props.item.runId}`}>
          {t("meta.run")}
        </A>
      </Show>
    </p>
    <p class="max-w-[80ch]">{explain(props.item.explanation)}</p>
  </header>
);
