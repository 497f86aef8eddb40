import type { Chat } from "../../data/chat-store.ts";
import { totalsOf } from "../../data/totals.ts";
import { useCurrency } from "../../data/session.ts";
import type { RunSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { For, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { tChat } from "../../i18n/chat.ts";
import { money, percent } from "../../i18n/index.ts";
import { ChatModel } from "./chat-model.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const DOT = { tested: "bg-pos", untested: "bg-warn", failed: "bg-neg" } as const;

/** What the chat works with, always in sight: sources, tools, model, how full the context is (CHT-1). */
export const StatusStrip = (props: { readonly workspaceId: string; readonly chat: Chat }) => {
  const currency = useCurrency();
  const runs = (): readonly RunSummary[] => props.chat.state.view?.chat.runs ?? [];
  const last = () => runs().at(-1);
  const totals = () => totalsOf(runs());
  const sources = useQuery(() => ({
    queryKey: keys.sources(props.workspaceId),
    queryFn: () => call("listSources", { params: { workspaceId: props.workspaceId } }),
  }));
  const tools = useQuery(() => ({
    queryKey: keys.tools(props.workspaceId),
    queryFn: () => call("listWorkspaceTools", { params: { workspaceId: props.workspaceId } }),
  }));
  const names = () => (sources.isPending || sources.isError ? [] : (sources.data?.items ?? []));
  const counts = () => {
    const all = tools.isPending || tools.isError ? [] : (tools.data?.items ?? []);
    const on = all.filter((tool) => tool.active && tool.decision !== "deny").length;
    return { on, off: all.length - on };
  };
  return (
    <div
      role="group"
      aria-label={tChat("status.label")}
      class="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-meta text-ink-2"
    >
      <Show when={!sources.isPending}>
        <For each={names()} fallback={<span>{tChat("status.noSources")}</span>}>
          {(s) => (
            <A
              href={`/w/${props.workspaceId}/sources/${s.id}`}
              class="inline-flex min-h-6 items-center gap-1.5 hover:underline"
            >
              <span aria-hidden="true" class={`size-2 rounded-full ${DOT[s.status]}`} />
              <span class="sr-only">{tChat("status.sources")}: </span>
              <VisibleText text={s.name} />
            </A>
          )}
        </For>
      </Show>
      <Show when={!tools.isPending && !tools.isError}>
        <A href={`/w/${props.workspaceId}/settings`} class="inline-flex min-h-6 items-center hover:underline">
          {tChat("status.tools", counts().on, counts().off)}
        </A>
      </Show>
      <ChatModel chat={props.chat} workspaceId={props.workspaceId} />
      <Show when={totals().tokens > 0}>
        <span class="num">
          {tChat("status.context", { percent: percent(last()?.contextFill ?? 0) })} ·{" "}
          {tChat("status.tokens", totals().tokens)}
          <Show when={totals().cost}>{(cost) => <> · {money(cost(), currency())}</>}</Show>
        </span>
      </Show>
    </div>
  );
};
