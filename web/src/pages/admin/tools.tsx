import type { AdminTool } from "@aiw/contract/views";
import { useSearchParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { admin as t } from "../../i18n/admin.ts";
import { dateTime, t as words } from "../../i18n/index.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Hash } from "../../ui/hash.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RiskBadge } from "../../ui/risk-badge.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { type Filter, FILTERS, grouped } from "./classification.ts";
import { ClassifyForm } from "./classify-form.tsx";
import { PlatformOnly } from "./platform-only.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { ToolBadges } from "./tool-facts.tsx";

const isFilter = (value: unknown): value is Filter => FILTERS.some((filter) => filter === value);

const Fact = (props: { readonly label: string; readonly children: JSX.Element }): JSX.Element => (
  <div>
    <dt class="label">{props.label}</dt>
    <dd>{props.children}</dd>
  </div>
);

/** What a call to this tool meets; the default is written out, never left blank (POL-4). */
const Decision = (props: { readonly tool: AdminTool }): JSX.Element => (
  <Show when={props.tool.riskClass !== null} fallback={<strong class="text-neg">{t("tools.deny")}</strong>}>
    <Show when={props.tool.decision} fallback={t("tools.ofClass")}>
      {(decision) => <>{t(`tools.decisions.${decision()}`)}</>}
    </Show>
  </Show>
);

const Row = (props: { readonly tool: AdminTool; readonly tools: readonly AdminTool[] }): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const close = (): void => {
    setOpen(false);
    button?.focus();
  };
  return (
    <li class="px-4 py-3">
      <div class="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div class="min-w-0 flex-1 basis-64">
          <div class="flex flex-wrap items-center gap-2">
            <code class="mono font-semibold [overflow-wrap:anywhere]">{props.tool.id}</code>
            <RiskBadge risk={props.tool.riskClass} />
            <ToolBadges tool={props.tool} />
          </div>
          <Show when={props.tool.riskClass === null}>
            <p class="text-meta text-ink-2" title={t("tools.suggestionHint")}>
              {t("tools.suggestion", { riskClass: words(`risk.${props.tool.suggestedRiskClass}`) })}
            </p>
          </Show>
        </div>
        <dl class="flex flex-wrap gap-x-6 gap-y-2">
          <Fact label={t("tools.column.decision")}>
            <Decision tool={props.tool} />
          </Fact>
          <Fact label={t("tools.column.level")}>{words(`level.${props.tool.level}`)}</Fact>
          <Fact label={t("tools.column.fourEyes")}>{props.tool.fourEyes ? t("tools.yes") : t("tools.no")}</Fact>
          <Fact label={t("tools.column.hash")}>
            <Hash value={props.tool.definitionHash} digits={8} />
          </Fact>
          <Fact label={t("tools.column.changed")}>
            <Show when={props.tool.classifiedAt} fallback={t("tools.never")}>
              {(at) => (
                <>
                  <VisibleText text={props.tool.classifiedBy?.displayName ?? ""} />{" "}
                  <span class="num block text-meta text-ink-2">{dateTime(at())}</span>
                </>
              )}
            </Show>
          </Fact>
        </dl>
        <button
          type="button"
          class="btn btn-sm"
          ref={(element) => (button = element)}
          aria-expanded={open()}
          aria-label={open() ? `${t("tools.close")}: ${props.tool.id}` : t("tools.editOf", { tool: props.tool.id })}
          onClick={() => setOpen(!open())}
        >
          {open() ? t("tools.close") : t("tools.edit")}
        </button>
      </div>
      <Show when={open()}>
        <ClassifyForm tool={props.tool} tools={props.tools} onDone={close} />
      </Show>
    </li>
  );
};

const ToolClassification = (): JSX.Element => {
  const [search] = useSearchParams<{ filter?: string }>();
  const filter = (): Filter => (isFilter(search.filter) ? search.filter : "all");
  const query = useQuery(() => ({ queryKey: keys.adminTools, queryFn: () => call("listTools") }));
  return (
    <Page wide>
      <PageHeader title={t("tools.title")} lead={t("tools.intro")} />
      <TabLinks
        label={t("tools.filter.label")}
        current={filter()}
        links={FILTERS.map((of) => ({
          id: of,
          label: t(`tools.filter.${of}`),
          href: `/admin/tools${of === "all" ? "" : `?filter=${of}`}`,
        }))}
      />
      <QueryPanel query={query} rows={5}>
        {(data) => (
          <Show
            when={grouped(data().items, filter()).length > 0}
            fallback={<EmptyState title={t("tools.empty")}>{t("tools.emptyHint")}</EmptyState>}
          >
            <For each={grouped(data().items, filter()).map(([group]) => group)}>
              {(group) => {
                const items = (): readonly AdminTool[] =>
                  grouped(data().items, filter()).find(([name]) => name === group)?.[1] ?? [];
                return (
                  <section aria-label={group} class="flex flex-col gap-2">
                    <h2 class="flex items-baseline gap-2 text-lg">
                      <span class="font-mono text-base">{group}</span>{" "}
                      <span class="text-meta font-normal text-ink-2">{t("tools.count", items().length)}</span>
                    </h2>
                    <ul class="panel divide-y divide-line">
                      <For each={items()}>{(tool) => <Row tool={tool} tools={data().items} />}</For>
                    </ul>
                  </section>
                );
              }}
            </For>
          </Show>
        )}
      </QueryPanel>
    </Page>
  );
};

/** Classification of all tools by a platform admin; what is not classified is denied (POL-4). */
export const AdminToolsPage = (): JSX.Element => (
  <PlatformOnly>
    <ToolClassification />
  </PlatformOnly>
);
