import type { ApprovalDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { For, type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { de } from "../../i18n/de/approvals.ts";
import { dateTime } from "../../i18n/index.ts";
import { Hash } from "../../ui/hash.tsx";
import { Person } from "../../ui/person.tsx";
import { RequestBadge } from "../../ui/state-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { Why } from "../../ui/why.tsx";
import { FactList } from "./approval-facts.tsx";
import { preconditionNote } from "./decision-model.ts";
import { preconditionLabel } from "./preview-words.ts";

const Section = (props: { readonly title: string; readonly children: JSX.Element }): JSX.Element => (
  <section class="flex flex-col gap-1.5 border-t border-line pt-3 first:border-t-0 first:pt-0">
    <h2 class="label">{props.title}</h2>
    {props.children}
  </section>
);

type Channel = keyof typeof de.channel;
const isChannel = (channel: string): channel is Channel => Object.hasOwn(de.channel, channel);
const channelWord = (channel: string): string => (isChannel(channel) ? t(`channel.${channel}`) : channel);

const Preconditions = (props: { readonly item: ApprovalDetail }): JSX.Element => (
  <Section title={t("sections.preconditions")}>
    <Show
      when={Object.keys(props.item.preconditions).length > 0}
      fallback={<p class="text-ink-2">{t("preconditionsNone")}</p>}
    >
      <FactList facts={props.item.preconditions} label={preconditionLabel} />
      <Show when={props.item.status === "pending"}>
        <p class={props.item.stale ? "text-neg" : "text-ink-2"}>
          {t(preconditionNote(props.item), {
            time: props.item.checkedAt === null ? "" : dateTime(props.item.checkedAt),
          })}
        </p>
      </Show>
    </Show>
  </Section>
);

const Binding = (props: { readonly item: ApprovalDetail }): JSX.Element => (
  <Section title={t("sections.binding")}>
    <dl class="grid grid-cols-1 gap-y-1">
      <dt class="text-ink-2">{t("hash.snapshot")}</dt>
      <dd>
        <Hash value={props.item.snapshotHash} digits={16} label={t("hash.copy")} />
      </dd>
      <dt class="text-ink-2">{t("hash.definition")}</dt>
      <dd>
        <Hash value={props.item.definitionHash} digits={16} label={t("hash.copy")} />
      </dd>
      <dt class="text-ink-2">{t("hash.policyVersion")}</dt>
      <dd class="num">{props.item.policyVersion}</dd>
    </dl>
  </Section>
);

const History = (props: { readonly item: ApprovalDetail; readonly itemHref: (id: string) => string }): JSX.Element => (
  <Section title={t("sections.history")}>
    <ol class="flex flex-col gap-2">
      <li>
        <span class="font-medium">{t("vote.requested")}</span> <Person person={props.item.requester} />
        <div class="text-meta text-ink-2">{dateTime(props.item.createdAt)}</div>
      </li>
      <For each={props.item.votes}>
        {(vote) => (
          <li>
            <span class="font-medium">{t(`vote.${vote.vote}`)}</span> <Person person={vote.by} />
            <div class="text-meta text-ink-2">
              {dateTime(vote.at)} · {t("vote.channel", { channel: channelWord(vote.channel) })}
              <Show when={vote.key}>
                {(name) => (
                  <>
                    {" · "}
                    <VisibleText text={t("vote.key", { name: name() })} />
                  </>
                )}
              </Show>
              <Show when={!vote.seenHash}>
                {" · "}
                <span class="text-warn">{t("vote.unseen")}</span>
              </Show>
            </div>
            <Show when={vote.reason}>
              {(reason) => (
                <p class="whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <VisibleText text={reason()} />
                </p>
              )}
            </Show>
          </li>
        )}
      </For>
      <Show when={props.item.executedAt}>
        {(at) => (
          <li>
            <span class="font-medium">{t("vote.executed")}</span>
            <div class="text-meta text-ink-2">{dateTime(at())}</div>
          </li>
        )}
      </Show>
    </ol>
    <Show when={props.item.predecessorId}>
      {(id) => (
        <A class="link" href={props.itemHref(id())}>
          {t("again.predecessor")}
        </A>
      )}
    </Show>
  </Section>
);

const Siblings = (props: { readonly item: ApprovalDetail; readonly itemHref: (id: string) => string }): JSX.Element => (
  <Show when={props.item.siblings.length > 0}>
    <Section title={t("sections.siblings")}>
      <ul class="flex flex-col gap-1.5">
        <For each={props.item.siblings}>
          {(sibling) => (
            <li class="flex flex-wrap items-center gap-x-2">
              <A class="link [overflow-wrap:anywhere]" href={props.itemHref(sibling.id)}>
                #{sibling.number} <VisibleText text={sibling.title} />
              </A>
              <RequestBadge status={sibling.status} />
            </li>
          )}
        </For>
      </ul>
    </Section>
  </Show>
);

/** Why the question is asked, what the answer is bound to, who may give it; the model's own words last (APR-1). */
export const ApprovalRail = (props: {
  readonly item: ApprovalDetail;
  readonly itemHref: (id: string) => string;
}): JSX.Element => (
  <aside class="panel flex flex-col gap-3 p-3" aria-label={t("sections.why")}>
    <Show when={props.item.message}>
      {(message) => (
        <Section title={t("message")}>
          <p class="whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={message()} />
          </p>
        </Section>
      )}
    </Show>
    <Show when={props.item.stagedFromRunId}>
      {(id) => (
        <Section title={t("staged.title")}>
          <p>{t("staged.body")}</p>
          <A class="link" href={`/w/${props.item.workspaceId}/runs/${id()}`}>
            {t("staged.from")}
          </A>
        </Section>
      )}
    </Show>
    <Section title={t("sections.why")}>
      <Why explanation={props.item.explanation} />
    </Section>
    <Preconditions item={props.item} />
    <Binding item={props.item} />
    <Section title={t("sections.level")}>
      <p>{t(`level.${props.item.level}`)}</p>
      <Show when={props.item.fourEyes}>
        <p>{t("level.fourEyes")}</p>
      </Show>
    </Section>
    <Siblings item={props.item} itemHref={props.itemHref} />
    <History item={props.item} itemHref={props.itemHref} />
    <Section title={t("sections.note")}>
      <div class="rounded-control border border-dashed border-line-strong p-2 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
        <Show when={props.item.modelNote} fallback={t("noteMissing")}>
          {(note) => <VisibleText text={note()} />}
        </Show>
      </div>
    </Section>
  </aside>
);
