import { useNavigate, useParams } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import { createMemo, createSignal, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { useWorkspace } from "../../data/workspace.ts";
import { tChat } from "../../i18n/chat.ts";
import { t } from "../../i18n/index.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader, usePageTitle } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { ChatList } from "./chat-list.tsx";
import { ChatPane } from "./chat-pane.tsx";
import { Locked } from "./locked.tsx";

/** Chats of a workspace: the list, and beside it (or instead of it, where it is narrow) the open chat. */
export const ChatsPage = () => {
  const params = useParams<{ ws: string; chat?: string }>();
  const navigate = useNavigate();
  const workspace = useWorkspace(() => params.ws);
  const open = createMemo(() => !workspace.isPending && !workspace.isError && workspace.data?.chatOpen === true);
  const [error, setError] = createSignal<unknown>(null);
  const [busy, setBusy] = createSignal(false);
  // A chat just made here starts with the focus in its composer.
  const [fresh, setFresh] = createSignal<string>();
  usePageTitle(() => tChat("title"));
  const create = async (): Promise<void> => {
    if (busy() || !open()) return;
    setBusy(true);
    setError(null);
    try {
      const made = await call("createChat", { params: { workspaceId: params.ws }, body: {} });
      void queryClient.invalidateQueries({ queryKey: keys.allChats(params.ws) });
      setFresh(made.id);
      navigate(`/w/${params.ws}/chats/${made.id}`);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  useKeys("page", () => [{ keys: "c", label: () => tChat("create"), run: () => void create(), when: open }]);
  const one = createMemo(() => (params.chat === undefined ? undefined : `${params.ws}/${params.chat}`));
  const failed = createMemo(() => workspace.isError && workspace.data === undefined);
  const panes = (): boolean => !failed() && (one() !== undefined || open());
  return (
    <Show
      when={panes()}
      fallback={
        <Page>
          <QueryPanel query={workspace} rows={4} whole>
            {(ws) => (
              <>
                <PageHeader title={tChat("title")} />
                <Locked workspace={ws()} />
              </>
            )}
          </QueryPanel>
        </Page>
      }
    >
      {/* A page of its own height: the thread scrolls, head and composer stay. The bar of a phone stays below it. */}
      <div class="-mb-20 flex h-[calc(100dvh-3.5rem-env(safe-area-inset-bottom))] md:mb-0 md:h-dvh">
        <section
          class={`min-h-0 w-full flex-col gap-4 overflow-y-auto px-4 py-5 xl:flex xl:w-80 xl:shrink-0 xl:border-r xl:border-line ${one() === undefined ? "flex" : "hidden"}`}
          aria-label={tChat("list")}
        >
          <Show when={one() === undefined} fallback={<h2 class="text-2xl">{tChat("title")}</h2>}>
            <PageHeader title={tChat("title")} />
          </Show>
          <button
            type="button"
            class="btn btn-primary"
            aria-disabled={busy() || !open()}
            title={open() ? undefined : t("nav.locked")}
            onClick={() => void create()}
          >
            <Plus size={16} aria-hidden="true" />
            {tChat("create")}
          </button>
          <ErrorLine error={error()} />
          <ChatList workspaceId={params.ws} />
        </section>
        <Show
          when={one()}
          keyed
          fallback={<p class="hidden flex-1 items-center justify-center text-ink-2 xl:flex">{tChat("pick")}</p>}
        >
          {(key) => (
            <ChatPane
              workspaceId={key.slice(0, key.indexOf("/"))}
              chatId={key.slice(key.indexOf("/") + 1)}
              fresh={fresh() === params.chat}
            />
          )}
        </Show>
      </div>
    </Show>
  );
};
