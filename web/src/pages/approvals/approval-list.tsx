import type { ApprovalSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { useInfiniteQuery } from "@tanstack/solid-query";
import { createEffect, createMemo, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { approvals as t } from "../../i18n/approvals.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { ApprovalRow } from "./approval-row.tsx";
import { byUrgency } from "./decision-model.ts";

export const FILTERS = ["open", "mine", "done"] as const;
export type Filter = (typeof FILTERS)[number];

const EMPTY = {
  open: { title: () => t("empty.open"), hint: () => t("empty.openHint") },
  mine: { title: () => t("empty.mine"), hint: () => t("empty.mineHint") },
  done: { title: () => t("empty.done"), hint: () => t("empty.doneHint") },
} satisfies Record<Filter, { title: () => string; hint: () => string }>;

export interface ApprovalListProps {
  readonly workspaceId: string | undefined;
  readonly filter: Filter;
  readonly selected: string | undefined;
  readonly filterHref: (filter: Filter) => string;
  readonly itemHref: (id: string) => string;
  /** Told the ids in the order shown, for moving with the keys. */
  readonly onIds: (ids: readonly string[]) => void;
}

/** Requests the reader may see. The same query serves list and count (APR-15). */
export const ApprovalList = (props: ApprovalListProps): JSX.Element => {
  const query = useInfiniteQuery(() => ({
    queryKey: [...keys.approvals(props.filter, props.workspaceId), "pages"],
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      call("listApprovals", {
        query: { filter: props.filter, workspaceId: props.workspaceId, cursor: pageParam, limit: 50 },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { next: string | null }) => page.next ?? undefined,
  }));
  const items = createMemo((): readonly ApprovalSummary[] => {
    const all = query.isPending ? [] : (query.data?.pages ?? []).flatMap((page) => page.items);
    return props.filter === "open" ? byUrgency(all) : all;
  });
  createEffect(() => props.onIds(items().map((item) => item.id)));

  return (
    <section aria-label={t("listLabel")} class="flex min-w-0 flex-col gap-2">
      <TabLinks
        label={t("listLabel")}
        current={props.filter}
        links={FILTERS.map((filter) => ({ id: filter, label: t(filter), href: props.filterHref(filter) }))}
      />
      <QueryPanel query={query} rows={5}>
        {(data) => (
          <Show
            when={items().length > 0}
            fallback={
              <EmptyState
                title={EMPTY[props.filter].title()}
                action={
                  <Show when={props.filter !== "done"}>
                    <A class="link" href={props.filterHref("done")}>
                      {t("empty.history")}
                    </A>
                  </Show>
                }
              >
                {EMPTY[props.filter].hint()}
              </EmptyState>
            }
          >
            <Show when={props.filter === "open"}>
              <p class="text-meta text-ink-2">{t("canDecide", data().pages[0]?.open ?? 0)}</p>
            </Show>
            <ul class="panel divide-y divide-line overflow-hidden">
              <For each={items()}>
                {(item) => (
                  <li>
                    <ApprovalRow
                      item={item}
                      href={props.itemHref(item.id)}
                      current={props.selected === item.id}
                      showWorkspace={props.workspaceId === undefined}
                    />
                  </li>
                )}
              </For>
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
    </section>
  );
};
