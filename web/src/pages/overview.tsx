import type { ApprovalSummary, ChatSummary, RunSummary, WorkspaceDetail } from "@aiw/contract/views";
import { A, useParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { call } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { useMe } from "../data/session.ts";
import { useWorkspace } from "../data/workspace.ts";
import { duration, num, t } from "../i18n/index.ts";
import { tWorkspaces } from "../i18n/workspaces.ts";
import { chatTitle } from "../ui/chat-title.ts";
import { Countdown } from "../ui/countdown.tsx";
import { OnboardingRail } from "../ui/onboarding-rail.tsx";
import { Page } from "../ui/page.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Person } from "../ui/person.tsx";
import { QueryPanel } from "../ui/query-panel.tsx";
import { requestLine } from "../ui/request-subject.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import { RiskBadge } from "../ui/risk-badge.tsx";
import { SourceHealth } from "../ui/source-health.tsx";
import { RunBadge } from "../ui/state-badge.tsx";

const Section = (props: {
  readonly title: string;
  readonly href?: string | undefined;
  readonly children: JSX.Element;
}) => (
  <section class="panel min-w-0 p-4">
    <div class="mb-2 flex items-baseline justify-between gap-2">
      <h2 class="text-lg">{props.title}</h2>
      <Show when={props.href}>
        {(href) => (
          <A href={href()} class="link text-meta" aria-label={`${props.title}: ${tWorkspaces("overview.all")}`}>
            {tWorkspaces("overview.all")}
          </A>
        )}
      </Show>
    </div>
    {props.children}
  </section>
);

const Row = (props: { readonly href: string; readonly title: string; readonly beside: JSX.Element }) => (
  <li>
    <A
      href={props.href}
      class="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-0.5 rounded-control px-2 py-1 hover:bg-sunken"
    >
      <span class="min-w-0 flex-1 basis-40 truncate">{props.title}</span>
      <span class="flex items-center gap-2 text-meta text-ink-2">{props.beside}</span>
    </A>
  </li>
);

const Approvals = (props: { readonly items: readonly ApprovalSummary[] }) => (
  <Show when={props.items.length > 0} fallback={<p class="text-ink-2">{tWorkspaces("overview.noOpen")}</p>}>
    <ul class="-mx-2">
      <For each={props.items}>
        {(a) => (
          <Row
            href={`/approvals/${a.id}`}
            title={requestLine(a, true)}
            beside={
              <>
                <RiskBadge risk={a.riskClass} />
                <Show when={a.expiresAt}>{(at) => <Countdown until={at()} />}</Show>
              </>
            }
          />
        )}
      </For>
    </ul>
  </Show>
);

const Chats = (props: { readonly ws: string; readonly items: readonly ChatSummary[] }) => (
  <Show when={props.items.length > 0} fallback={<p class="text-ink-2">{tWorkspaces("overview.noChats")}</p>}>
    <ul class="-mx-2">
      <For each={props.items}>
        {(c) => (
          <Row
            href={`/w/${props.ws}/chats/${c.id}`}
            title={chatTitle(c.title)}
            beside={<RelativeTime at={c.lastActivityAt} />}
          />
        )}
      </For>
    </ul>
  </Show>
);

const Runs = (props: { readonly ws: string; readonly items: readonly RunSummary[] }) => (
  <Show when={props.items.length > 0} fallback={<p class="text-ink-2">{tWorkspaces("overview.noRuns")}</p>}>
    <ul class="-mx-2">
      <For each={props.items}>
        {(r) => <Row href={`/w/${props.ws}/runs/${r.id}`} title={r.title} beside={<RunBadge status={r.status} />} />}
      </For>
    </ul>
  </Show>
);

const Members = (props: { readonly ws: WorkspaceDetail }) => (
  <>
    <ul class="flex flex-col gap-1.5">
      <For each={props.ws.members}>
        {(m) => (
          <li class="flex items-center justify-between gap-2">
            <Person person={m} />
            <span class="text-meta text-ink-2">{t(`role.${m.role}`)}</span>
          </li>
        )}
      </For>
    </ul>
    <p class="mt-3 border-t border-line pt-3 text-meta text-ink-2">
      {t(`mode.${props.ws.writePolicy}`)}
      <br />
      {tWorkspaces("overview.ttl", { time: duration(props.ws.approvalTtlS * 1000) })}
      <br />
      {tWorkspaces("overview.rounds", { n: num(props.ws.maxToolRounds) })}
    </p>
  </>
);

/** What a workspace is, what is missing, what happens in it. */
export const OverviewPage = () => {
  const params = useParams<{ ws: string }>();
  const me = useMe();
  const id = (): string => params.ws;
  const workspace = useWorkspace(id);
  const sources = useQuery(() => ({
    queryKey: keys.sources(id()),
    queryFn: () => call("listSources", { params: { workspaceId: id() } }),
  }));
  const chats = useQuery(() => ({
    queryKey: [...keys.allChats(id()), "recent"],
    queryFn: () => call("listChats", { params: { workspaceId: id() }, query: { limit: 6 } }),
  }));
  const runs = useQuery(() => ({
    queryKey: keys.runs(id(), "recent"),
    queryFn: () => call("listRuns", { params: { workspaceId: id() }, query: { limit: 6 } }),
  }));
  const approvals = useQuery(() => ({
    queryKey: keys.approvals("recent", id()),
    queryFn: () => call("listApprovals", { query: { workspaceId: id(), filter: "open", limit: 6 } }),
  }));
  const hasChats = (): boolean => !chats.isPending && !chats.isError && (chats.data?.items.length ?? 0) > 0;
  const ready = (ws: WorkspaceDetail): boolean => ws.chatOpen && ws.toolsReady && hasChats();
  return (
    <Page wide>
      <QueryPanel query={workspace} rows={6}>
        {(ws) => (
          <>
            <PageHeader
              title={ws().name}
              lead={ws().description === "" ? undefined : ws().description}
              beside={<span class="text-meta text-ink-2">{ws().team.name}</span>}
            />
            <Show when={!chats.isPending && !ready(ws())}>
              <section aria-labelledby="setup">
                <h2 id="setup" class="mb-2 text-lg">
                  {tWorkspaces("overview.steps")}
                </h2>
                <OnboardingRail
                  workspace={ws()}
                  sources={sources.isPending || sources.isError ? [] : (sources.data?.items ?? [])}
                  hasChats={hasChats()}
                  isPlatformAdmin={me.data?.isPlatformAdmin === true}
                />
              </section>
            </Show>
            <div class="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
              <div class="flex min-w-0 flex-col gap-4">
                <Section title={tWorkspaces("overview.open")} href={`/w/${id()}/approvals`}>
                  <QueryPanel query={approvals} rows={1}>
                    {(d) => <Approvals items={d().items} />}
                  </QueryPanel>
                </Section>
                <Section title={tWorkspaces("overview.recentChats")} href={`/w/${id()}/chats`}>
                  <QueryPanel query={chats}>{(d) => <Chats ws={id()} items={d().items} />}</QueryPanel>
                </Section>
                <Section title={tWorkspaces("overview.recentRuns")} href={`/w/${id()}/runs`}>
                  <QueryPanel query={runs}>{(d) => <Runs ws={id()} items={d().items} />}</QueryPanel>
                </Section>
              </div>
              <div class="flex min-w-0 flex-col gap-4">
                <Section title={tWorkspaces("overview.sources")} href={`/w/${id()}/sources`}>
                  <SourceHealth sources={ws().sources} />
                </Section>
                <Section title={tWorkspaces("overview.members")}>
                  <Members ws={ws()} />
                </Section>
              </div>
            </div>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
