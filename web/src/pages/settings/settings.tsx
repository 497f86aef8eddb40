import { useParams, useSearchParams } from "@solidjs/router";
import { type JSX, Match, Show, Switch } from "solid-js";
import { useWorkspace } from "../../data/workspace.ts";
import { settings as t } from "../../i18n/settings.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { AgentSettings } from "./agent.tsx";
import { KeySettings } from "./keys.tsx";
import { GeneralSettings } from "./general.tsx";
import { MemberSettings } from "./members.tsx";
import { ModelSettings } from "./model.tsx";
import { RuleSettings } from "./rules.tsx";
import { WorkspaceRules } from "./workspace-rules.tsx";
import { ToolSettings } from "./tools.tsx";

const TABS = ["general", "members", "rules", "agent", "model", "tools", "keys"] as const;
type Tab = (typeof TABS)[number];
const isTab = (value: unknown): value is Tab => TABS.some((tab) => tab === value);

/** Settings of a workspace; everybody may read them, its admins may change them. */
export const SettingsPage = (): JSX.Element => {
  const params = useParams<{ ws: string }>();
  const [search] = useSearchParams<{ tab?: string }>();
  const tab = (): Tab => (isTab(search.tab) ? search.tab : "general");
  const workspace = useWorkspace(() => params.ws);
  return (
    <Page>
      <QueryPanel query={workspace} rows={6} whole>
        {(ws) => {
          const isAdmin = (): boolean => ws().role === "admin";
          return (
            <>
              <PageHeader title={t("title")} />
              <TabLinks
                label={t("tab.label")}
                current={tab()}
                links={TABS.map((of) => ({
                  id: of,
                  label: t(`tab.${of}`),
                  href: `/w/${params.ws}/settings${of === "general" ? "" : `?tab=${of}`}`,
                }))}
              />
              <Show when={!isAdmin() && tab() !== "keys"}>
                <p class="text-ink-2">{t("readOnly")}</p>
              </Show>
              <Switch>
                <Match when={tab() === "general"}>
                  <GeneralSettings ws={ws()} isAdmin={isAdmin()} />
                </Match>
                <Match when={tab() === "members"}>
                  <MemberSettings ws={ws()} isAdmin={isAdmin()} />
                </Match>
                <Match when={tab() === "rules"}>
                  <RuleSettings ws={ws()} isAdmin={isAdmin()} />
                  <WorkspaceRules ws={ws()} isAdmin={isAdmin()} />
                </Match>
                <Match when={tab() === "agent"}>
                  <AgentSettings workspaceId={params.ws} isAdmin={isAdmin()} />
                </Match>
                <Match when={tab() === "model"}>
                  <ModelSettings workspaceId={params.ws} isAdmin={isAdmin()} />
                </Match>
                <Match when={tab() === "keys"}>
                  <KeySettings workspaceId={params.ws} />
                </Match>
                <Match when={tab() === "tools"}>
                  <ToolSettings workspaceId={params.ws} isAdmin={isAdmin()} />
                </Match>
              </Switch>
            </>
          );
        }}
      </QueryPanel>
    </Page>
  );
};
