import { A } from "@solidjs/router";
import Ellipsis from "lucide-solid/icons/ellipsis";
import { createSignal, For, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { inboxSince, inboxState } from "../data/inbox.ts";
import { num, t } from "../i18n/index.ts";
import { Dialog } from "./dialog.tsx";
import { LiveIndicator } from "./live-indicator.tsx";
import { NavLink } from "./nav.tsx";
import { type NavItem, useNavItems } from "./nav-items.ts";

const tab =
  "relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-meta text-ink-2 [&.active]:font-semibold [&.active]:text-accent-ink";

const Tab = (props: { readonly item: NavItem }) => (
  <A href={props.item.href} end={props.item.end ?? false} class={tab}>
    <Dynamic component={props.item.icon} size={20} aria-hidden="true" />
    {props.item.id === "all-approvals" ? t("nav.approvals") : props.item.label}
    <Show when={(props.item.count ?? 0) > 0}>
      <span
        class="num absolute top-1 left-1/2 ml-2 rounded-full bg-accent px-1.5 font-semibold text-on-accent"
        aria-label={t("nav.openCount", props.item.count ?? 0)}
      >
        {num(props.item.count ?? 0)}
      </span>
    </Show>
  </A>
);

/** The navigation of a phone: three places and the rest behind "More". */
export const BottomBar = (props: { readonly onKeys: () => void }) => {
  const items = useNavItems();
  const [open, setOpen] = createSignal(false);
  const tabs = (): readonly NavItem[] => {
    const [approvals, workspaces] = items.work();
    const chats = items.inWorkspace().find((i) => i.id === "chats");
    const runs = items.inWorkspace().find((i) => i.id === "runs");
    return [chats ?? workspaces, approvals, runs].filter((i) => i !== undefined);
  };
  const rest = (): readonly NavItem[] => [
    ...items.inWorkspace().filter((i) => i.id !== "runs" && i.id !== "chats"),
    ...items.work().filter((i) => i.id === "workspaces"),
    ...items.admin(),
  ];
  return (
    <nav
      aria-label={t("nav.main")}
      class="fixed inset-x-0 bottom-0 z-30 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <For each={tabs().map((i) => i.id)}>
        {(id) => <Show when={tabs().find((i) => i.id === id)}>{(item) => <Tab item={item()} />}</Show>}
      </For>
      <button type="button" class={tab} aria-haspopup="dialog" aria-expanded={open()} onClick={() => setOpen(true)}>
        <Ellipsis size={20} aria-hidden="true" />
        {t("nav.more")}
      </button>
      <Dialog open={open()} onOpenChange={setOpen} title={items.workspace()?.name ?? t("app")}>
        <ul class="flex flex-col gap-1">
          <For each={rest()}>
            {(item) => (
              <li>
                <NavLink item={item} onClick={() => setOpen(false)} />
              </li>
            )}
          </For>
          <li>
            <A
              href="/me"
              class="flex min-h-11 items-center rounded-control px-2.5 text-ink-2"
              onClick={() => setOpen(false)}
            >
              {t("nav.me")}
            </A>
          </li>
          <li>
            <button
              type="button"
              class="flex min-h-11 w-full items-center rounded-control px-2.5 text-ink-2"
              onClick={() => {
                setOpen(false);
                props.onKeys();
              }}
            >
              {t("nav.keys")}
            </button>
          </li>
        </ul>
        <div class="mt-3 px-2.5">
          <LiveIndicator state={inboxState()} since={inboxSince()} />
        </div>
      </Dialog>
    </nav>
  );
};
