import { Navigate } from "@solidjs/router";
import { createMemo, Match, Switch } from "solid-js";
import { readPref } from "../data/prefs.ts";
import { useWorkspaces } from "../data/workspace.ts";
import { ErrorPanel } from "../ui/error-panel.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

/** Leads to the workspace visited last, if it is still there for this person; otherwise to the list. */
export const HomePage = () => {
  const all = useWorkspaces();
  const target = createMemo((): string | undefined => {
    if (all.isPending || all.isError || all.data === undefined) return undefined;
    const last = readPref("workspace");
    return all.data.items.some((ws) => ws.id === last) ? `/w/${last}` : "/workspaces";
  });
  return (
    <Switch
      fallback={
        <Page>
          <Skeleton />
        </Page>
      }
    >
      <Match when={target()}>{(href) => <Navigate href={href()} />}</Match>
      <Match when={all.isError}>
        <Page>
          <ErrorPanel error={all.error} retry={() => void all.refetch()} />
        </Page>
      </Match>
    </Switch>
  );
};
