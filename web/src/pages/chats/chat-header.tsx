import * as Menu from "@kobalte/core/dropdown-menu";
import { A } from "@solidjs/router";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import Ellipsis from "lucide-solid/icons/ellipsis";
import { createSignal, Show } from "solid-js";
import type { Chat } from "../../data/chat-store.ts";
import { chatTitle } from "../../ui/chat-title.ts";
import { tChat } from "../../i18n/chat.ts";
import { t } from "../../i18n/index.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { LiveIndicator } from "../../ui/live-indicator.tsx";
import { RunBadge } from "../../ui/state-badge.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const RenameForm = (props: {
  readonly title: string;
  readonly onRename: (title: string) => Promise<void>;
  readonly onDone: () => void;
}) => {
  const [title, setTitle] = createSignal(props.title);
  const [error, setError] = createSignal<unknown>(null);
  const [busy, setBusy] = createSignal(false);
  const submit = async (): Promise<void> => {
    if (title().trim() === "" || busy()) return;
    setBusy(true);
    try {
      await props.onRename(title().trim());
      props.onDone();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <FormField label={tChat("renameLabel")} required>
        {(field) => (
          <input
            {...field}
            class="input"
            maxLength={80}
            autocomplete="off"
            value={title()}
            onInput={(event) => setTitle(event.currentTarget.value)}
          />
        )}
      </FormField>
      <ErrorLine error={error()} />
      <div class="flex justify-end gap-2">
        <button type="button" class="btn" onClick={() => props.onDone()}>
          {t("act.cancel")}
        </button>
        <button type="submit" class="btn btn-primary" aria-disabled={busy() || title().trim() === ""}>
          {t("act.save")}
        </button>
      </div>
    </form>
  );
};

/** Title of the chat, state of its run, and what can be done with it. */
export const ChatHeader = (props: { readonly chat: Chat; readonly workspaceId: string }) => {
  const detail = () => props.chat.state.view?.chat;
  const [menu, setMenu] = createSignal<HTMLElement>();
  const [renaming, setRenaming] = createSignal(false);
  const [error, setError] = createSignal<unknown>(null);
  const change = async (what: Parameters<Chat["update"]>[0]): Promise<void> => {
    setError(null);
    try {
      await props.chat.update(what);
    } catch (problem) {
      setError(problem);
    }
  };
  const archived = (): boolean => detail()?.archivedAt !== null;
  return (
    <header class="flex flex-col gap-1 border-b border-line bg-surface px-4 py-2">
      <div class="flex items-center gap-2">
        <A href={`/w/${props.workspaceId}/chats`} class="btn-icon -ml-2 xl:hidden" aria-label={tChat("backToList")}>
          <ArrowLeft size={18} aria-hidden="true" />
        </A>
        <div class="flex min-w-0 flex-1 flex-col items-start gap-x-2 md:flex-row md:items-center">
          <h1 class="w-full min-w-0 flex-1 truncate text-lg">
            <VisibleText text={chatTitle(detail()?.title ?? "")} marks="hidden" />
          </h1>
          <div class="flex items-center gap-2">
            <LiveIndicator state={props.chat.streamState()} since={props.chat.streamSince()} quiet />
            <Show when={detail()?.runStatus}>{(status) => <RunBadge status={status()} />}</Show>
          </div>
        </div>
        <Menu.Root placement="bottom-end" gutter={4} modal={false}>
          <Menu.Trigger ref={setMenu} class="btn-icon -mr-2" aria-label={tChat("menu")}>
            <Ellipsis size={18} aria-hidden="true" />
          </Menu.Trigger>
          <Menu.Content class="menu">
            <Menu.Item class="menu-item" onSelect={() => setRenaming(true)}>
              {tChat("rename")}
            </Menu.Item>
            <Menu.Item
              class="menu-item"
              onSelect={() => void change({ mode: detail()?.mode === "plan" ? "work" : "plan" })}
            >
              {detail()?.mode === "plan" ? tChat("planOff") : tChat("planOn")}
            </Menu.Item>
            <Menu.Item class="menu-item" onSelect={() => void change({ archived: !archived() })}>
              {archived() ? tChat("unarchive") : tChat("archive")}
            </Menu.Item>
          </Menu.Content>
        </Menu.Root>
      </div>
      <Show when={detail()?.mode === "plan"}>
        <p class="text-meta font-medium text-info">{tChat("plan")}</p>
      </Show>
      <ErrorLine error={error()} />
      <Dialog open={renaming()} onOpenChange={setRenaming} title={tChat("rename")} returnTo={menu}>
        <RenameForm
          title={detail()?.title ?? ""}
          onRename={(title) => props.chat.update({ title })}
          onDone={() => setRenaming(false)}
        />
      </Dialog>
    </header>
  );
};
