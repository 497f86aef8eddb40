import { Navigate, type RouteSectionProps, useLocation, useNavigate } from "@solidjs/router";
import { createEffect, createMemo, createSignal, Match, on, onCleanup, onMount, Switch } from "solid-js";
import { startInbox } from "../data/inbox.ts";
import { useMe } from "../data/session.ts";
import { useActiveWorkspaceId } from "../data/workspace.ts";
import { t } from "../i18n/index.ts";
import { Guard, Wait } from "./boundary.tsx";
import { ErrorPanel } from "./error-panel.tsx";
import { KeySheet } from "./key-sheet.tsx";
import { listenKeys, useKeys } from "./keys.ts";
import { BottomBar } from "./bottom-bar.tsx";
import { SideNav } from "./nav.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Toasts } from "./toast.tsx";

/** Frame of every page behind the sign-in: navigation, content, shortcuts, the inbox stream. */
export const AppShell = (props: RouteSectionProps) => {
  const me = useMe();
  const location = useLocation();
  // Held apart from the query: once somebody is signed in, a failing refetch does not take the page away.
  const signedIn = createMemo(() => (me.isPending ? undefined : me.data));
  const loginUrl = (): string => `/login?return=${encodeURIComponent(location.pathname + location.search)}`;
  return (
    <Switch>
      <Match when={me.isPending}>
        <div class="mx-auto max-w-3xl p-6">
          <Skeleton rows={6} />
        </div>
      </Match>
      <Match when={signedIn()?.mustChangePassword === true}>
        <Navigate href="/password" />
      </Match>
      <Match when={signedIn()}>
        <Frame>{props.children}</Frame>
      </Match>
      <Match when={me.isError}>
        <div class="mx-auto max-w-3xl p-6">
          <ErrorPanel error={me.error} retry={() => void me.refetch()} />
        </div>
      </Match>
      <Match when={signedIn() === null}>
        <Navigate href={loginUrl()} />
      </Match>
    </Switch>
  );
};

const Frame = (props: Pick<RouteSectionProps, "children">) => {
  const [sheet, setSheet] = createSignal(false);
  const workspaceId = useActiveWorkspaceId();
  const navigate = useNavigate();
  const location = useLocation();
  let main: HTMLElement | undefined;
  const goTo = (part: string) => () => {
    const id = workspaceId();
    navigate(id === undefined ? "/workspaces" : `/w/${id}/${part}`);
  };
  useKeys("global", () => [
    { keys: "?", label: () => t("keys.help"), run: () => setSheet(true) },
    { keys: "g i", label: () => t("keys.goApprovals"), run: () => navigate("/approvals") },
    { keys: "g c", label: () => t("keys.goChats"), run: goTo("chats") },
    { keys: "g r", label: () => t("keys.goRuns"), run: goTo("runs") },
    { keys: "g s", label: () => t("keys.goSources"), run: goTo("sources") },
  ]);
  onMount(() => {
    onCleanup(listenKeys());
    onCleanup(startInbox());
  });
  // A new page starts where its content starts, for the keyboard and for screen readers alike.
  createEffect(
    on(
      () => location.pathname,
      () => {
        const active = document.activeElement;
        if (active === null || active === document.body || !document.body.contains(active))
          main?.focus({ preventScroll: true });
      },
      { defer: true },
    ),
  );
  return (
    <div class="md:grid md:min-h-dvh md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a href="#main" class="skip" onClick={() => main?.focus()}>
        {t("skip")}
      </a>
      <SideNav onKeys={() => setSheet(true)} />
      <main
        ref={(element) => (main = element)}
        id="main"
        tabindex="-1"
        class="min-w-0 pb-[calc(5rem+env(safe-area-inset-bottom))] outline-none md:pb-0"
      >
        <Guard>
          <Wait>{props.children}</Wait>
        </Guard>
      </main>
      <BottomBar onKeys={() => setSheet(true)} />
      <KeySheet open={sheet()} onOpenChange={setSheet} />
      <Toasts />
    </div>
  );
};
