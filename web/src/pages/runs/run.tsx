import type { RunDetail } from "@aiw/contract/views";
import { A, useParams, useSearchParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { call } from "../../data/client.ts";
import { useNow } from "../../data/clock.ts";
import { keys } from "../../data/keys.ts";
import { isActiveRun } from "../../data/states.ts";
import { runs as t } from "../../i18n/runs.ts";
import { runErrorWord } from "../../i18n/run-errors.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { RunTimeline } from "../../ui/run-timeline.tsx";
import { RunBadge } from "../../ui/state-badge.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunEvents } from "./run-events.tsx";
import { RunFacts } from "./run-facts.tsx";
import { RunReconcile } from "./run-reconcile.tsx";
import { RunStepList } from "./run-step-list.tsx";
import { stepGroups, writesOutside } from "./run-steps.ts";

const VIEWS = ["list", "timeline", "json"] as const;
type View = (typeof VIEWS)[number];
const isView = (value: unknown): value is View => VIEWS.some((view) => view === value);

const Ended = (props: { readonly run: RunDetail }): JSX.Element => {
  const reason = (): string | null => runErrorWord(props.run) ?? props.run.errorText;
  const written = (): number => writesOutside(props.run);
  return (
    <section
      class={`rounded-panel border p-4 ${props.run.status === "blocked_by_guardrail" ? "border-hold bg-hold-bg" : "border-neg bg-neg-bg"}`}
      aria-labelledby="run-error"
    >
      <h2 id="run-error" class="font-medium">
        {t("error.title")}
      </h2>
      <Show when={reason()}>{(text) => <p class="mt-1 max-w-[80ch] [overflow-wrap:anywhere]">{text()}</p>}</Show>
      <Show when={props.run.errorCode}>
        {(code) => <p class="mt-1 font-mono text-meta">{t("error.code", { code: code() })}</p>}
      </Show>
      <p class="mt-1">
        {props.run.errorCode === "ended_by_person"
          ? t("error.unclear")
          : written() === 0
            ? t("error.nothingWritten")
            : t("error.written", written())}
      </p>
    </section>
  );
};

const Waiting = (props: { readonly run: RunDetail }): JSX.Element => (
  <For each={props.run.approvals.filter((approval) => approval.status === "pending")}>
    {(approval) => (
      <section class="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-panel border border-warn bg-warn-bg p-3">
        <p class="min-w-0 flex-1 text-warn [overflow-wrap:anywhere]">
          <span class="font-medium">
            {approval.responseLabel === null ? t("waiting.approval") : t("waiting.input")}:
          </span>{" "}
          <VisibleText text={requestLine(approval, true)} />
        </p>
        <A class="btn btn-sm" href={`/w/${approval.workspaceId}/approvals/${approval.id}`}>
          {t("waiting.open")}
        </A>
      </section>
    )}
  </For>
);

/** Where the run came from and what came from it: executions of staged calls (APR-8) and parts of its work (RUN-18). */
const Family = (props: { readonly run: RunDetail }): JSX.Element => (
  <>
    <Show when={props.run.parentRunId}>
      {(id) => (
        <p>
          {t(`parts.lane.${props.run.lane}`)} ·{" "}
          <A class="link" href={`/w/${props.run.workspaceId}/runs/${id()}`}>
            {t("parts.parent")}
          </A>
        </p>
      )}
    </Show>
    <Show when={props.run.parts.length > 0}>
      <section class="panel flex flex-col gap-2 p-4" aria-labelledby="run-parts">
        <h2 id="run-parts" class="label">
          {t("parts.title")}
        </h2>
        <For each={props.run.parts}>
          {(part) => (
            <p class="flex flex-wrap items-center gap-2">
              <RunBadge status={part.status} />
              <span class="text-ink-2">{t(`parts.lane.${part.lane}`)}</span>
              <A class="link [overflow-wrap:anywhere]" href={`/w/${props.run.workspaceId}/runs/${part.id}`}>
                <VisibleText text={part.title} />
              </A>
            </p>
          )}
        </For>
      </section>
    </Show>
  </>
);

const Timeline = (props: { readonly run: RunDetail }): JSX.Element => {
  const now = useNow();
  const bars = () =>
    stepGroups(props.run).flatMap((group) =>
      group.attempts.map((attempt) => ({
        label: t("step.title", { n: String(group.step) }),
        detail: attempt.kind === null ? "" : t(`step.${attempt.kind}`),
        startedAt: attempt.startedAt,
        endedAt: attempt.endedAt,
      })),
    );
  return (
    <div class="panel p-4">
      <RunTimeline phases={props.run.phases} bars={bars()} nowMs={now()} />
    </div>
  );
};

const Body = (props: {
  readonly run: RunDetail;
  readonly view: View;
  readonly viewHref: (view: View) => string;
}): JSX.Element => (
  <>
    <PageHeader
      title={props.run.title}
      beside={<RunBadge status={props.run.status} />}
      actions={
        <>
          <CopyButton text={props.run.id} label={t("copyId")} withText />
          <Show when={props.run.chatId}>
            {(chat) => (
              <A class="btn" href={`/w/${props.run.workspaceId}/chats/${chat()}`}>
                {t("toChat")}
              </A>
            )}
          </Show>
          <RunActions run={props.run} />
        </>
      }
    />
    <Show when={props.run.status === "waiting_approval" || props.run.status === "waiting_input"}>
      <Waiting run={props.run} />
    </Show>
    <Switch>
      <Match when={props.run.status === "needs_reconciliation"}>
        <RunReconcile run={props.run} />
      </Match>
      <Match when={props.run.status === "failed" || props.run.status === "blocked_by_guardrail"}>
        <Ended run={props.run} />
      </Match>
    </Switch>
    <RunFacts run={props.run} />
    <Family run={props.run} />
    <TabLinks
      label={t("view.label")}
      current={props.view}
      links={VIEWS.map((view) => ({ id: view, label: t(`view.${view}`), href: props.viewHref(view) }))}
    />
    <Switch>
      <Match when={props.view === "list"}>
        <RunStepList run={props.run} />
      </Match>
      <Match when={props.view === "timeline"}>
        <Timeline run={props.run} />
      </Match>
      <Match when={props.view === "json"}>
        <RunEvents runId={props.run.id} active={isActiveRun(props.run.status)} />
      </Match>
    </Switch>
  </>
);

/** A run as it went: state, steps, timeline, events; cancel, resume and reconcile where allowed (RUN-17, RUN-22). */
export const RunPage = (): JSX.Element => {
  const params = useParams<{ ws: string; run: string }>();
  const [search] = useSearchParams<{ view?: string }>();
  const view = (): View => (isView(search.view) ? search.view : "list");
  const query = useQuery(() => ({
    queryKey: keys.run(params.run),
    queryFn: () => call("getRun", { params: { runId: params.run } }),
    refetchInterval: (q: { state: { data: RunDetail | undefined } }) => {
      const status = q.state.data?.status;
      if (status === undefined || !isActiveRun(status)) return false;
      return status === "running" || status === "queued" ? 2_000 : 10_000;
    },
  }));
  const viewHref = (of: View): string => `/w/${params.ws}/runs/${params.run}${of === "list" ? "" : `?view=${of}`}`;
  return (
    <Page wide>
      <A class="btn btn-quiet btn-sm -mb-3 -ml-2 self-start" href={`/w/${params.ws}/runs`}>
        <ArrowLeft size={16} aria-hidden="true" />
        {t("toList")}
      </A>
      <QueryPanel query={query} rows={8} whole>
        {(run) => <Body run={run()} view={view()} viewHref={viewHref} />}
      </QueryPanel>
    </Page>
  );
};
