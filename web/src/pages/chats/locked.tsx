import type { WorkspaceDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import Lock from "lucide-solid/icons/lock";
import { Show } from "solid-js";
import { tChat } from "../../i18n/chat.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

/** Why the chat is closed, and the missing step (CHT-0). */
export const Locked = (props: { readonly workspace: WorkspaceDetail }) => {
  const none = (): boolean => props.workspace.sources.total === 0;
  const admins = (): string =>
    props.workspace.members
      .filter((m) => m.role === "admin")
      .map((m) => m.displayName)
      .join(", ");
  return (
    <div class="panel flex flex-col items-start gap-2 p-6" data-testid="chat-locked">
      <h2 class="flex items-center gap-2 text-lg">
        <Lock size={18} class="shrink-0 text-ink-2" aria-hidden="true" />
        {tChat("lockedTitle")}
      </h2>
      <p class="text-ink-2">{none() ? tChat("lockedNone") : tChat("lockedUntested")}</p>
      <Show
        when={props.workspace.role === "admin"}
        fallback={
          <p>
            <VisibleText text={tChat("lockedAsk", { names: admins() })} />
          </p>
        }
      >
        <A href={`/w/${props.workspace.id}/sources${none() ? "/new" : ""}`} class="btn btn-primary mt-1">
          {none() ? tChat("lockedConnect") : tChat("lockedTest")}
        </A>
      </Show>
    </div>
  );
};
