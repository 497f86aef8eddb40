import * as Menu from "@kobalte/core/dropdown-menu";
import type { WorkspaceDetail } from "@aiw/contract/views";
import { useNavigate } from "@solidjs/router";
import Check from "lucide-solid/icons/check";
import ChevronsUpDown from "lucide-solid/icons/chevrons-up-down";
import { For, Show } from "solid-js";
import { useWorkspaces } from "../data/workspace.ts";
import { t } from "../i18n/index.ts";
import { VisibleText } from "./visible-text-view.tsx";

/** Which workspace this is, with its sources and mode in sight; switching replaces the context fully (CHT-1). */
export const WorkspaceSwitcher = (props: { readonly workspace: WorkspaceDetail | undefined }) => {
  const all = useWorkspaces();
  const navigate = useNavigate();
  const items = () => (all.isPending || all.isError ? [] : (all.data?.items ?? []));
  const second = (ws: WorkspaceDetail): string =>
    `${t("nav.sourceCount", ws.sources.total)} · ${ws.writePolicy === "risk_based" ? t("nav.modeA") : t("nav.modeB")}`;
  return (
    <Menu.Root placement="bottom-start" gutter={4} modal={false}>
      <Menu.Trigger class="flex w-full items-center gap-2 rounded-control px-2.5 py-1.5 text-left hover:bg-sunken">
        <span class="sr-only">{t("nav.switcher")}: </span>
        <span class="min-w-0 flex-1">
          <span class="block truncate font-semibold">
            <VisibleText text={props.workspace?.name ?? t("nav.pick")} />
          </span>
          <Show when={props.workspace}>
            {(ws) => <span class="block truncate text-meta text-ink-2">{second(ws())}</span>}
          </Show>
        </span>
        <ChevronsUpDown size={14} class="shrink-0 text-ink-2" aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Content class="menu max-h-[70vh] w-64 overflow-y-auto">
        <For each={items()}>
          {(ws) => (
            <Menu.Item class="menu-item" onSelect={() => navigate(`/w/${ws.id}`)}>
              <span class="min-w-0 flex-1 truncate">
                <VisibleText text={ws.name} />
              </span>
              <Show when={ws.openApprovals > 0}>
                <span class="num text-meta text-ink-2">{t("nav.openCount", ws.openApprovals)}</span>
              </Show>
              <Show when={ws.id === props.workspace?.id}>
                <Check size={14} aria-hidden="true" />
              </Show>
            </Menu.Item>
          )}
        </For>
        <Menu.Separator class="my-1 border-line" />
        <Menu.Item class="menu-item" onSelect={() => navigate("/workspaces")}>
          {t("nav.allWorkspaces")}
        </Menu.Item>
      </Menu.Content>
    </Menu.Root>
  );
};
