import type { ApprovalSummary, Message, RunSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import Bot from "lucide-solid/icons/bot";
import Clock from "lucide-solid/icons/clock";
import ShieldAlert from "lucide-solid/icons/shield-alert";
import { type JSX, Show } from "solid-js";
import type { Outgoing } from "../../data/chat-store.ts";
import { useCurrency, useMe } from "../../data/session.ts";
import { tChat } from "../../i18n/chat.ts";
import { money } from "../../i18n/index.ts";
import { problemText } from "../../i18n/problems.ts";
import { Guard } from "../../ui/boundary.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { RequestBadge } from "../../ui/state-badge.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { visibleString } from "../../ui/visible-text.ts";

const Bubble = (props: {
  readonly who: string;
  readonly text: string;
  readonly beside?: JSX.Element;
  readonly below?: JSX.Element;
}) => (
  <article class="flex flex-col items-end gap-1" aria-label={visibleString(props.who)}>
    <p class="flex items-center gap-2 text-meta text-ink-2">
      <VisibleText text={props.who} />
      {props.beside}
    </p>
    {/* What a person wrote stays plain text; what it hides is shown. */}
    <p class="max-w-[88%] rounded-panel border border-line bg-sunken px-3.5 py-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
      <VisibleText text={props.text} marks="hidden" />
    </p>
    {props.below}
  </article>
);

/** What a person wrote. */
export const UserMessage = (props: { readonly message: Message }) => {
  const me = useMe();
  const who = (): string =>
    props.message.author === null || (!me.isPending && me.data?.id === props.message.author.id)
      ? tChat("you")
      : props.message.author.displayName;
  return (
    <Bubble
      who={who()}
      text={props.message.text}
      beside={<RelativeTime at={props.message.createdAt} />}
      below={
        <Show when={props.message.waiting}>
          <p class="flex items-center gap-1.5 text-meta text-ink-2">
            <Clock size={13} aria-hidden="true" />
            {tChat("waitingMessage")}
          </p>
        </Show>
      }
    />
  );
};

/** The platform's own: what became of a request that was submitted here (APR-8). */
export const OutcomeMessage = (props: { readonly message: Message; readonly request: ApprovalSummary | undefined }) => (
  <article class="panel flex flex-col gap-1 p-3" aria-label={tChat("outcome")}>
    <p class="flex flex-wrap items-center gap-2 text-meta text-ink-2">
      <span class="font-medium">{tChat("platform")}</span>
      <RelativeTime at={props.message.createdAt} />
      <Show when={props.message.waiting}>
        <span class="flex items-center gap-1.5">
          <Clock size={13} aria-hidden="true" />
          {tChat("waitingMessage")}
        </span>
      </Show>
    </p>
    <p class="flex flex-wrap items-center gap-2">
      <span>{tChat("outcome")}</span>
      <Show when={props.request} fallback={<VisibleText text={props.message.text.split("\n", 1)[0] ?? ""} />}>
        {(request) => (
          <>
            <span class="num">#{request().number}</span>
            <RequestBadge status={request().status} />
          </>
        )}
      </Show>
      <Show when={props.message.approvalId}>
        {(id) => (
          <A href={`/approvals/${id()}`} class="link text-meta">
            {tChat("outcomeOpen")}
          </A>
        )}
      </Show>
    </p>
  </article>
);

/** A message on its way, or one that did not get there. */
export const OutgoingMessage = (props: {
  readonly outgoing: Outgoing;
  readonly onAgain: () => void;
  readonly onDrop: () => void;
}) => (
  <Bubble
    who={tChat("you")}
    text={props.outgoing.text}
    below={
      <Show when={props.outgoing.error} fallback={<p class="text-meta text-ink-2">{tChat("sending")}</p>}>
        {(problem) => (
          <div role="alert" class="flex flex-wrap items-center justify-end gap-2 text-meta">
            <span class="text-neg">
              {tChat("sendFailed")} {problemText(problem())}
            </span>
            <button type="button" class="btn btn-sm" onClick={() => props.onAgain()}>
              {tChat("sendAgain")}
            </button>
            <button type="button" class="btn btn-quiet btn-sm" onClick={() => props.onDrop()}>
              {tChat("discard")}
            </button>
          </div>
        )}
      </Show>
    }
  />
);

/** Head over everything the model says: that it is the model (CHT-2). */
export const AiLabel = (props: { readonly text: string; readonly children?: JSX.Element }) => (
  <p class="mb-1.5 flex items-center gap-1.5 text-meta font-medium text-accent-ink">
    <Bot size={14} aria-hidden="true" />
    {props.text}
    {props.children}
  </p>
);

/** Which model answered, and what it took (AI-6). */
const AnswerCost = (props: { readonly run: RunSummary }) => {
  const currency = useCurrency();
  return (
    <span class="num text-meta text-ink-2">
      <Show when={props.run.model}>
        {(name) => (
          <>
            <VisibleText text={name()} /> ·{" "}
          </>
        )}
      </Show>
      {tChat("status.tokens", props.run.inputTokens + props.run.outputTokens)}
      <Show when={props.run.cost !== null}> · {money(props.run.cost ?? 0, currency())}</Show>
    </span>
  );
};

/** A finished answer of the model. */
export const AnswerMessage = (props: { readonly message: Message; readonly run: RunSummary | undefined }) => (
  <article aria-label={tChat("aiAnswer")} class="border-l-2 border-accent pl-4">
    <AiLabel text={tChat("ai")}>
      <RelativeTime at={props.message.createdAt} class="font-normal text-ink-2" />
    </AiLabel>
    <Show
      when={!props.message.withheld}
      fallback={
        <p class="flex items-center gap-2 rounded-control bg-hold-bg px-3 py-2 text-hold">
          <ShieldAlert size={16} aria-hidden="true" />
          {tChat("withheld")}
        </p>
      }
    >
      <Guard>
        <Markdown text={props.message.text} />
      </Guard>
      <div class="mt-1 -ml-2 flex flex-wrap items-center gap-x-3">
        <CopyButton text={props.message.text} label={tChat("copyAnswer")} withText />
        <Show when={props.run !== undefined && props.run.inputTokens > 0 ? props.run : undefined}>
          {(run) => <AnswerCost run={run()} />}
        </Show>
      </div>
    </Show>
  </article>
);

/** What the model said between tool calls: not the answer. */
export const NoteItem = (props: { readonly text: string }) => (
  <div class="border-l-2 border-line-strong pl-4 text-ink-2" aria-label={tChat("aiNote")} role="note">
    <Guard>
      <Markdown text={props.text} />
    </Guard>
  </div>
);
