import type { ModelAdministration } from "@aiw/contract/models";
import { useSearchParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { type JSX, Match, Switch } from "solid-js";
import { keys } from "../../../data/keys.ts";
import { models as t } from "../../../i18n/models.ts";
import { Page } from "../../../ui/page.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { QueryPanel } from "../../../ui/query-panel.tsx";
import { TabLinks } from "../../../ui/tab-links.tsx";
import { DefaultsForm } from "./defaults-form.tsx";
import { GatewayList } from "./gateway-list.tsx";
import { GuardrailList } from "./guardrail-list.tsx";
import { ModelList } from "./model-list.tsx";
import { loadModels } from "./parts.tsx";

const TABS = ["models", "gateways", "guardrails"] as const;
type Tab = (typeof TABS)[number];
const isTab = (value: unknown): value is Tab => TABS.some((tab) => tab === value);

const POLL_MS = 1_000;
const isBusy = (data: ModelAdministration | undefined): boolean =>
  data !== undefined && (data.models.some((m) => m.testing) || data.endpoints.some((e) => e.importing));

/** Models, gateways with their keys, and the guardrail map, for platform admins (GW-2, GW-3, GW-4). */
export const AdminModelsPage = (): JSX.Element => {
  const [search] = useSearchParams<{ tab?: string }>();
  const tab = (): Tab => (isTab(search.tab) ? search.tab : "models");
  const query = useQuery(() => ({
    queryKey: keys.adminModels,
    queryFn: loadModels,
    refetchInterval: (q: { state: { data: ModelAdministration | undefined } }) =>
      isBusy(q.state.data) ? POLL_MS : false,
  }));
  return (
    <Page wide>
      <PageHeader title={t("title")} lead={t("intro")} />
      <TabLinks
        label={t("tab.label")}
        current={tab()}
        links={TABS.map((of) => ({
          id: of,
          label: t(`tab.${of}`),
          href: `/admin/models${of === "models" ? "" : `?tab=${of}`}`,
        }))}
      />
      <Switch>
        <Match when={tab() === "guardrails"}>
          <GuardrailList />
        </Match>
        <Match when={tab() === "gateways"}>
          <QueryPanel query={query} rows={4}>
            {(data) => <GatewayList data={data()} />}
          </QueryPanel>
        </Match>
        <Match when={tab() === "models"}>
          <QueryPanel query={query} rows={4}>
            {(data) => (
              <>
                <DefaultsForm data={data()} />
                <ModelList data={data()} />
              </>
            )}
          </QueryPanel>
        </Match>
      </Switch>
    </Page>
  );
};
