import type { Source } from "@aiw/contract/views";
import { A, useParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import Plus from "lucide-solid/icons/plus";
import { For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { useWorkspace } from "../../data/workspace.ts";
import { sources as t } from "../../i18n/sources.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SourceBadge } from "./source-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const Row = (props: { readonly source: Source; readonly href: string }): JSX.Element => (
  <li class="flex flex-col gap-1 px-4 py-3">
    <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
      <A class="link font-medium [overflow-wrap:anywhere]" href={props.href}>
        <VisibleText text={props.source.name} />
      </A>
      <SourceBadge status={props.source.status} />
      <span class="text-meta text-ink-2">{t(`kind.${props.source.kind}`)}</span>
    </div>
    <Show when={props.source.config.url !== ""}>
      <code class="mono text-ink-2 [overflow-wrap:anywhere]">
        {props.source.config.url}
        <Show when={props.source.config.branch}>{(branch) => <> · {branch()}</>}</Show>
      </code>
    </Show>
    <p class="text-meta text-ink-2">
      <Show when={props.source.lastTestAt} fallback={t("test.never")}>
        {(at) => (
          <>
            {t("test.at")}: <RelativeTime at={at()} />
          </>
        )}
      </Show>
    </p>
  </li>
);

/** Sources of a workspace with their state (SRC-2). */
export const SourcesPage = (): JSX.Element => {
  const params = useParams<{ ws: string }>();
  const workspace = useWorkspace(() => params.ws);
  const query = useQuery(() => ({
    queryKey: keys.sources(params.ws),
    queryFn: () => call("listSources", { params: { workspaceId: params.ws } }),
  }));
  const isAdmin = (): boolean => !workspace.isPending && workspace.data?.role === "admin";
  const connect = (): JSX.Element => (
    <Show when={isAdmin()} fallback={<span class="text-ink-2">{t("onlyAdmin")}</span>}>
      <A class="btn btn-primary" href={`/w/${params.ws}/sources/new`}>
        <Plus size={16} aria-hidden="true" />
        {t("connect")}
      </A>
    </Show>
  );
  return (
    <Page>
      <QueryPanel query={query} rows={3} whole>
        {(data) => (
          <>
            <PageHeader title={t("title")} actions={connect()} />
            <Show
              when={data().items.length > 0}
              fallback={<EmptyState title={t("empty.title")}>{t("empty.hint")}</EmptyState>}
            >
              <ul class="panel divide-y divide-line" aria-label={t("listLabel")}>
                <For each={data().items}>
                  {(source) => <Row source={source} href={`/w/${params.ws}/sources/${source.id}`} />}
                </For>
              </ul>
            </Show>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
