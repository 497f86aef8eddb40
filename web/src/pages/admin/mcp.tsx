import type { McpServer } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { mcp as t } from "../../i18n/mcp.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { RegisterForm } from "./mcp-forms.tsx";
import { ServerRow } from "./mcp-server-row.tsx";

const POLL_MS = 1_000;

/** Registered MCP servers, for platform admins (MCP-1). */
export const AdminMcpPage = (): JSX.Element => {
  const [adding, setAdding] = createSignal(false);
  const query = useQuery(() => ({
    queryKey: keys.adminMcp,
    queryFn: () => call("listMcpServers"),
    refetchInterval: (q: { state: { data: { items: readonly McpServer[] } | undefined } }) =>
      q.state.data?.items.some((server) => server.fetching) === true ? POLL_MS : false,
  }));
  const registered = (server: McpServer): void => {
    setAdding(false);
    toast(t("registered", { name: server.name }));
    void queryClient.invalidateQueries({ queryKey: keys.adminMcp });
  };
  return (
    <Page wide>
      <PageHeader
        title={t("title")}
        lead={t("intro")}
        actions={
          <button type="button" class="btn btn-primary" onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden="true" />
            {t("add")}
          </button>
        }
      />
      <QueryPanel query={query} rows={3}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<EmptyState title={t("empty")}>{t("emptyHint")}</EmptyState>}>
            <ul class="panel divide-y divide-line" aria-label={t("listLabel")}>
              <For each={data().items.map((server) => server.id)}>
                {(id) => (
                  <Show when={data().items.find((server) => server.id === id)}>
                    {(server) => <ServerRow server={server()} />}
                  </Show>
                )}
              </For>
            </ul>
          </Show>
        )}
      </QueryPanel>
      <Dialog open={adding()} onOpenChange={setAdding} title={t("add")}>
        <RegisterForm onDone={registered} onCancel={() => setAdding(false)} />
      </Dialog>
    </Page>
  );
};
