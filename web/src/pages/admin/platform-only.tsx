import { type JSX, onMount, Show } from "solid-js";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { useMe } from "../../data/session.ts";
import { NoRight } from "../../ui/no-right.tsx";
import { Page } from "../../ui/page.tsx";

const Refused = (): JSX.Element => {
  // Whoever was given the right a moment ago is let in without a reload.
  onMount(() => void queryClient.invalidateQueries({ queryKey: keys.me }));
  return (
    <Page>
      <NoRight />
    </Page>
  );
};

/** A page of platform admins; for others nothing of it is built or asked for. The server decides, this only shows (ADM-1). */
export const PlatformOnly = (props: { readonly children: JSX.Element }): JSX.Element => {
  const me = useMe();
  return (
    <Show when={!me.isPending}>
      <Show when={me.data?.isPlatformAdmin === true} fallback={<Refused />}>
        {props.children}
      </Show>
    </Show>
  );
};
