import { A } from "@solidjs/router";
import { useInfiniteQuery } from "@tanstack/solid-query";
import { createMemo, createSignal, For, onCleanup, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { tChat } from "../../i18n/chat.ts";
import { t } from "../../i18n/index.ts";
import { chatTitle } from "../../ui/chat-title.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorPanel } from "../../ui/error-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { RunBadge } from "../../ui/state-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const PAUSE_MS = 250;

/** The chats of a workspace: search, archive, state of each one's run. */
export const ChatList = (props: { readonly workspaceId: string }) => {
  const [typed, setTyped] = createSignal("");
  const [search, setSearch] = createSignal("");
  const [archived, setArchived] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const type = (value: string): void => {
    setTyped(value);
    clearTimeout(timer);
    timer = setTimeout(() => setSearch(value.trim()), PAUSE_MS);
  };
  const list = useInfiniteQuery(() => ({
    queryKey: keys.chats(props.workspaceId, archived(), search()),
    queryFn: ({ pageParam }: { readonly pageParam: string | null }) =>
      call("listChats", {
        params: { workspaceId: props.workspaceId },
        query: {
          limit: 40,
          archived: archived() ? "true" : "false",
          ...(search() === "" ? {} : { search: search() }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last: { readonly next: string | null }) => last.next,
  }));
  const items = createMemo(() =>
    list.isPending || list.isError ? [] : (list.data?.pages.flatMap((p) => p.items) ?? []),
  );
  const emptyTitle = (): string =>
    search() !== "" ? tChat("noneFound") : archived() ? tChat("noneArchived") : tChat("none");
  return (
    <div class="flex min-h-0 flex-col gap-3">
      <div class="flex flex-col gap-2">
        <input
          class="input"
          type="search"
          name="search"
          aria-label={tChat("search")}
          placeholder={tChat("search")}
          maxLength={200}
          value={typed()}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <label class="inline-flex min-h-6 items-center gap-2 text-meta text-ink-2">
          <input
            type="checkbox"
            class="size-4 accent-accent"
            checked={archived()}
            onChange={(event) => setArchived(event.currentTarget.checked)}
          />
          {tChat("archived")}
        </label>
      </div>
      <Show when={!list.isPending} fallback={<Skeleton rows={5} />}>
        <Show when={!list.isError} fallback={<ErrorPanel error={list.error} retry={() => void list.refetch()} />}>
          <Show
            when={items().length > 0}
            fallback={
              <EmptyState title={emptyTitle()}>
                {search() === "" && !archived() ? tChat("noneBody") : undefined}
              </EmptyState>
            }
          >
            <ul class="-mx-1 flex min-h-0 flex-col gap-px overflow-y-auto px-1 py-1" aria-label={tChat("list")}>
              <For each={items()}>
                {(c) => (
                  <li>
                    <A
                      href={`/w/${props.workspaceId}/chats/${c.id}`}
                      class="flex min-h-12 flex-col justify-center gap-0.5 rounded-control px-2.5 py-1.5 hover:bg-mute-bg aria-[current=page]:bg-mute-bg"
                    >
                      <span class="truncate font-medium">
                        <VisibleText text={chatTitle(c.title)} marks="hidden" />
                      </span>
                      <span class="flex flex-wrap items-center gap-2 text-meta text-ink-2">
                        <Show when={c.runStatus !== null && c.runStatus !== "completed" ? c.runStatus : undefined}>
                          {(status) => <RunBadge status={status()} />}
                        </Show>
                        <span class="truncate">
                          <RelativeTime at={c.lastActivityAt} /> · <VisibleText text={c.createdBy.displayName} />
                        </span>
                      </span>
                    </A>
                  </li>
                )}
              </For>
              <Show when={list.hasNextPage}>
                <li>
                  <button
                    type="button"
                    class="btn btn-quiet w-full"
                    aria-disabled={list.isFetchingNextPage}
                    onClick={() => void list.fetchNextPage()}
                  >
                    {t("act.more")}
                  </button>
                </li>
              </Show>
            </ul>
          </Show>
        </Show>
      </Show>
    </div>
  );
};
