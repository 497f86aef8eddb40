import type { Source } from "@aiw/contract/views";
import { A, useParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import { type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { useWorkspace } from "../../data/workspace.ts";
import { dateTime } from "../../i18n/index.ts";
import { mcp } from "../../i18n/mcp.ts";
import { sources as t } from "../../i18n/sources.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Person } from "../../ui/person.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SourceLabels } from "./source-labels.tsx";
import { SourceBadge } from "./source-badge.tsx";
import { RemoveSource, ReplaceToken } from "./source-manage.tsx";
import { createSourceTest, type SourceTest } from "./source-test.ts";
import { TestStages } from "./test-stages.tsx";
import { UploadsPanel } from "./uploads.tsx";

const Fact = (props: { readonly label: string; readonly children: JSX.Element }): JSX.Element => (
  <>
    <dt class="text-ink-2">{props.label}</dt>
    <dd class="min-w-0 [overflow-wrap:anywhere]">{props.children}</dd>
  </>
);

const Connection = (props: { readonly source: Source }): JSX.Element => (
  <section class="panel p-4" aria-labelledby="connection-title">
    <h2 id="connection-title" class="mb-2 text-lg">
      {t("detail.connection")}
    </h2>
    <dl class="grid grid-cols-1 gap-x-4 gap-y-1 md:grid-cols-[10rem_minmax(0,1fr)]">
      <Fact label={t("detail.kind")}>{t(`kind.${props.source.kind}`)}</Fact>
      <Show when={props.source.kind !== "uploads"}>
        <Fact label={t("detail.url")}>
          <code class="mono">{props.source.config.url}</code>
        </Fact>
      </Show>
      <Show when={props.source.kind === "git"}>
        <Fact label={t("detail.branch")}>{props.source.config.branch ?? t("detail.defaultBranch")}</Fact>
        <Fact label={t("detail.username")}>{props.source.config.username ?? t("detail.none")}</Fact>
      </Show>
      <Show when={props.source.config.server}>
        {(name) => (
          <Fact label={mcp("source.shortName")}>
            <code class="mono">{name()}</code>
          </Fact>
        )}
      </Show>
      <Show when={props.source.kind !== "uploads"}>
        <Fact label={t("detail.secret")}>
          {props.source.secretLast4 === null
            ? props.source.usesPlatformToken
              ? mcp("source.platformTokenUsed")
              : t("detail.noSecret")
            : t("detail.secretLast4", { last4: props.source.secretLast4 })}
        </Fact>
      </Show>
      <Show when={props.source.confirmedBy}>
        {(person) => (
          <Fact label={t("detail.confirmed")}>
            <span class="inline-flex flex-wrap items-center gap-2">
              <Person person={person()} />
              <Show when={props.source.confirmedAt}>
                {(at) => <span class="text-meta text-ink-2">{dateTime(at())}</span>}
              </Show>
            </span>
          </Fact>
        )}
      </Show>
      <Fact label={t("detail.connected")}>{dateTime(props.source.createdAt)}</Fact>
    </dl>
  </section>
);

const TestPanel = (props: {
  readonly source: Source;
  readonly test: SourceTest;
  readonly isAdmin: boolean;
}): JSX.Element => (
  <section class="panel p-4" aria-labelledby="test-title">
    <div class="mb-2 flex flex-wrap items-start justify-between gap-2">
      <div>
        <h2 id="test-title" class="text-lg">
          {t("test.title")}
        </h2>
        <Show when={props.source.lastTestAt}>
          {(at) => (
            <p class="text-meta text-ink-2">
              {t("test.at")}: <RelativeTime at={at()} />
            </p>
          )}
        </Show>
      </div>
      <Show when={props.isAdmin}>
        <button
          type="button"
          class="btn"
          aria-disabled={props.test.running()}
          onClick={() => void (props.test.running() || props.test.start(props.source.id))}
        >
          {props.source.lastTest === null ? t("test.run") : t("test.again")}
        </button>
      </Show>
    </div>
    <TestStages kind={props.source.kind} report={props.source.lastTest} running={props.test.running()} />
    <Show when={props.test.broken()}>
      <p role="alert" class="text-neg">
        {t("test.jobFailed")}
      </p>
    </Show>
    <ErrorLine error={props.test.failure()} />
  </section>
);

/** One source: connection, last test stage by stage, credentials, disconnecting (SRC-2). */
export const SourcePage = (): JSX.Element => {
  const params = useParams<{ ws: string; id: string }>();
  const workspace = useWorkspace(() => params.ws);
  const test = createSourceTest(() => params.ws);
  const query = useQuery(() => ({
    queryKey: keys.source(params.ws, params.id),
    queryFn: () => call("getSource", { params: { workspaceId: params.ws, sourceId: params.id } }),
  }));
  const isAdmin = (): boolean => !workspace.isPending && workspace.data?.role === "admin";
  return (
    <Page>
      <A class="btn btn-quiet btn-sm -mb-3 -ml-2 self-start" href={`/w/${params.ws}/sources`}>
        <ArrowLeft size={16} aria-hidden="true" />
        {t("title")}
      </A>
      <QueryPanel query={query} rows={6} whole>
        {(source) => (
          <>
            <PageHeader title={source().name} beside={<SourceBadge status={source().status} />} />
            <Show when={source().kind === "uploads"}>
              <UploadsPanel workspaceId={params.ws} />
            </Show>
            <TestPanel source={source()} test={test} isAdmin={isAdmin()} />
            <Connection source={source()} />
            <section class="panel flex flex-wrap items-center justify-between gap-2 p-4">
              <div>
                <h2 class="text-lg">{t("detail.tools")}</h2>
                <p class="text-ink-2">{t("detail.toolsHint")}</p>
              </div>
              <A class="btn" href={`/w/${params.ws}/settings?tab=tools`}>
                {t("detail.toTools")}
              </A>
            </section>
            <SourceLabels workspaceId={params.ws} source={source()} isAdmin={isAdmin()} />
            <Show when={isAdmin()} fallback={<p class="text-ink-2">{t("onlyAdmin")}</p>}>
              <Show when={source().kind !== "uploads"}>
                <ReplaceToken
                  workspaceId={params.ws}
                  source={source()}
                  onReplaced={() => void test.start(source().id)}
                />
              </Show>
              <RemoveSource workspaceId={params.ws} source={source()} />
            </Show>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
