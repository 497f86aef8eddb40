import type { RunSummary } from "@aiw/contract/views";
import { A, useParams, useSearchParams } from "@solidjs/router";
import { useInfiniteQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { useNow } from "../../data/clock.ts";
import { keys } from "../../data/keys.ts";
import { isActiveRun } from "../../data/states.ts";
import { useWorkspace } from "../../data/workspace.ts";
import { duration, num } from "../../i18n/index.ts";
import { runs as t } from "../../i18n/runs.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Person } from "../../ui/person.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { RunBadge } from "../../ui/state-badge.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { RunActions } from "./run-actions.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const GROUPS = ["running", "waiting", "completed", "failed"] as const;
type Group = (typeof GROUPS)[number];
const isGroup = (value: unknown): value is Group => GROUPS.some((group) => group === value);

/** From the first moment of work to the end, or until now. */
const elapsed = (run: RunSummary, now: number): number =>
  (run.endedAt === null ? now : Date.parse(run.endedAt)) - Date.parse(run.startedAt ?? run.createdAt);

const Fact = (props: { readonly label: string; readonly children: JSX.Element }): JSX.Element => (
  <span class="num">
    <span class="text-ink-3">{props.label}</span> {props.children}
  </span>
);

const Row = (props: { readonly run: RunSummary }): JSX.Element => {
  const now = useNow();
  return (
    <li class="flex flex-col gap-2 px-4 py-3 md:flex-row md:items-center md:gap-4">
      <div class="min-w-0 flex-1">
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
          <RunBadge status={props.run.status} />
          <A
            class="link min-w-0 font-medium [overflow-wrap:anywhere]"
            href={`/w/${props.run.workspaceId}/runs/${props.run.id}`}
          >
            <VisibleText text={props.run.title} marks="hidden" />
          </A>
        </div>
        <div class="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1 text-meta text-ink-2">
          <Person person={props.run.startedBy} />
          <RelativeTime at={props.run.createdAt} />
          <Fact label={t("column.duration")}>{duration(elapsed(props.run, now()))}</Fact>
          <Fact label={t("column.steps")}>{num(props.run.step)}</Fact>
          <Fact label={t("column.tokens")}>{num(props.run.inputTokens + props.run.outputTokens)}</Fact>
        </div>
      </div>
      <div class="flex flex-wrap items-center gap-2">
        <RunActions run={props.run} small />
      </div>
    </li>
  );
};

/** Runs of a workspace by group, with what may be done to each (RUN-21). */
export const RunsPage = (): JSX.Element => {
  const params = useParams<{ ws: string }>();
  const [search] = useSearchParams<{ group?: string }>();
  const group = (): Group | undefined => (isGroup(search.group) ? search.group : undefined);
  const workspace = useWorkspace(() => params.ws);
  const query = useInfiniteQuery(() => ({
    queryKey: [...keys.runs(params.ws, group() ?? "all"), "pages"],
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      call("listRuns", {
        params: { workspaceId: params.ws },
        query: { group: group(), cursor: pageParam, limit: 50 },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { next: string | null }) => page.next ?? undefined,
    refetchInterval: (q: { state: { data: { pages: readonly { items: readonly RunSummary[] }[] } | undefined } }) =>
      q.state.data?.pages.some((page) => page.items.some((run) => isActiveRun(run.status))) === true ? 10_000 : false,
  }));
  const href = (of: Group | undefined): string => `/w/${params.ws}/runs${of === undefined ? "" : `?group=${of}`}`;
  return (
    <Page wide>
      <QueryPanel query={workspace} rows={6} whole>
        {() => (
          <>
            <PageHeader title={t("title")} />
            <TabLinks
              label={t("listLabel")}
              current={group() ?? "all"}
              links={[undefined, ...GROUPS].map((of) => ({
                id: of ?? "all",
                label: t(`group.${of ?? "all"}`),
                href: href(of),
              }))}
            />
            <QueryPanel query={query} rows={6}>
              {(data) => (
                <Show
                  when={data().pages.some((page) => page.items.length > 0)}
                  fallback={
                    <EmptyState
                      title={t("empty.title")}
                      action={
                        <A class="btn" href={`/w/${params.ws}/chats`}>
                          {t("empty.toChats")}
                        </A>
                      }
                    >
                      {t("empty.hint")}
                    </EmptyState>
                  }
                >
                  <ul class="panel divide-y divide-line" aria-label={t("listLabel")}>
                    <For each={data().pages.flatMap((page) => page.items)}>{(run) => <Row run={run} />}</For>
                  </ul>
                  <Show when={query.hasNextPage}>
                    <button
                      type="button"
                      class="btn btn-sm self-start"
                      disabled={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      {t("loadMore")}
                    </button>
                  </Show>
                </Show>
              )}
            </QueryPanel>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
