import { A } from "@solidjs/router";
import CircleUserRound from "lucide-solid/icons/circle-user-round";
import Keyboard from "lucide-solid/icons/keyboard";
import Lock from "lucide-solid/icons/lock";
import { For, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { inboxSince, inboxState } from "../data/inbox.ts";
import { useMe } from "../data/session.ts";
import { num, t } from "../i18n/index.ts";
import { LiveIndicator } from "./live-indicator.tsx";
import { type NavItem, useNavItems } from "./nav-items.ts";
import { VisibleText } from "./visible-text-view.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

/** One entry: icon, word, how many wait, or that it is locked. */
export const NavLink = (props: { readonly item: NavItem; readonly onClick?: (() => void) | undefined }) => (
  <A
    href={props.item.href}
    end={props.item.end ?? false}
    class="group flex min-h-9 items-center gap-2.5 rounded-control px-2.5 text-ink-2 hover:bg-sunken hover:text-ink [&.active]:bg-sunken [&.active]:font-medium [&.active]:text-ink"
    title={props.item.locked === true ? t("nav.locked") : undefined}
    onClick={() => props.onClick?.()}
  >
    <Dynamic component={props.item.icon} size={16} class="shrink-0" aria-hidden="true" />
    <span class="min-w-0 flex-1 truncate">{props.item.label}</span>
    <Show when={props.item.locked}>
      <Lock size={13} aria-hidden="true" />
      <span class="sr-only">({t("nav.locked")})</span>
    </Show>
    <Show when={(props.item.count ?? 0) > 0}>
      <span
        class="num rounded-full bg-accent px-1.5 text-meta font-semibold text-on-accent"
        aria-label={t("nav.openCount", props.item.count ?? 0)}
      >
        {num(props.item.count ?? 0)}
      </span>
    </Show>
  </A>
);

const Group = (props: { readonly title: string; readonly items: readonly NavItem[] }) => (
  <Show when={props.items.length > 0}>
    <div>
      <p class="label px-2.5 pb-1">{props.title}</p>
      <ul class="flex flex-col gap-px">
        <For each={props.items.map((item) => item.id)}>
          {(id) => (
            <Show when={props.items.find((item) => item.id === id)}>
              {(item) => (
                <li>
                  <NavLink item={item()} />
                </li>
              )}
            </Show>
          )}
        </For>
      </ul>
    </div>
  </Show>
);

/** The navigation at the left from tablet width up. */
export const SideNav = (props: { readonly onKeys: () => void }) => {
  const items = useNavItems();
  const me = useMe();
  return (
    <nav
      aria-label={t("nav.main")}
      class="sticky top-0 z-20 hidden h-dvh flex-col border-r border-line bg-surface md:flex"
    >
      <div class="p-2">
        <WorkspaceSwitcher workspace={items.workspace()} />
      </div>
      <div class="flex flex-1 flex-col gap-4 overflow-y-auto px-2 py-2">
        <Group title={t("nav.workspace")} items={items.inWorkspace()} />
        <Group title={t("nav.work")} items={items.work()} />
        <Group title={t("nav.admin")} items={items.admin()} />
      </div>
      <div class="flex flex-col gap-1 border-t border-line p-2">
        <div class="flex items-center justify-between px-2.5">
          <LiveIndicator state={inboxState()} since={inboxSince()} />
          <button
            type="button"
            class="btn-icon"
            aria-label={t("nav.keys")}
            title={`${t("nav.keys")} (?)`}
            onClick={() => props.onKeys()}
          >
            <Keyboard size={16} aria-hidden="true" />
          </button>
        </div>
        <A
          href="/me"
          class="flex min-h-9 items-center gap-2.5 rounded-control px-2.5 text-ink-2 hover:bg-sunken hover:text-ink [&.active]:bg-sunken [&.active]:text-ink"
        >
          <CircleUserRound size={16} class="shrink-0" aria-hidden="true" />
          <span class="truncate">
            <VisibleText text={me.isPending ? "" : (me.data?.displayName ?? "")} />
          </span>
          <span class="sr-only">({t("nav.me")})</span>
        </A>
      </div>
    </nav>
  );
};
