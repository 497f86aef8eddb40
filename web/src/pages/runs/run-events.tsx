import { useQuery } from "@tanstack/solid-query";
import ChevronRight from "lucide-solid/icons/chevron-right";
import { For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { exactTime } from "../../i18n/index.ts";
import { runs as t } from "../../i18n/runs.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";

const MOST = 1_000;

const bodyOf = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([key]) => key !== "seq" && key !== "type" && key !== "at"));

/** The events of a run as they were recorded: number, type, time, content (RUN-11). */
export const RunEvents = (props: { readonly runId: string; readonly active: boolean }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.runEvents(props.runId),
    queryFn: () => call("runEventList", { params: { runId: props.runId } }),
    refetchInterval: props.active ? 3_000 : false,
    reconcile: "seq",
  }));
  return (
    <QueryPanel query={query} rows={6}>
      {(data) => (
        <Show when={data().items.length > 0} fallback={<p class="text-ink-2">{t("json.empty")}</p>}>
          <div class="flex flex-wrap items-center justify-between gap-2 text-meta text-ink-2">
            <span>
              {t("json.hint", data().items.length)} <Show when={data().items.length >= MOST}>{t("json.first")}</Show>
            </span>
            <CopyButton text={JSON.stringify(data().items, null, 2)} label={t("json.copy")} withText />
          </div>
          <ol class="panel divide-y divide-line">
            <For each={data().items}>
              {(event) => (
                <li class="px-3 py-1">
                  <details class="group">
                    <summary class="flex min-h-7 items-center gap-1.5">
                      <ChevronRight
                        size={16}
                        class="shrink-0 transition-transform group-open:rotate-90"
                        aria-hidden="true"
                      />
                      <span class="flex min-w-0 flex-wrap items-center gap-x-4 text-meta">
                        <span class="num w-10 text-ink-2">{event.seq}</span>
                        <code class="mono">{event.type}</code>
                        <time class="num text-ink-2" datetime={event.at}>
                          {exactTime(event.at)}
                        </time>
                      </span>
                    </summary>
                    <JsonTree value={bodyOf(event)} />
                  </details>
                </li>
              )}
            </For>
          </ol>
        </Show>
      )}
    </QueryPanel>
  );
};
