import type { ModelChoice } from "@aiw/contract/models";
import { createSignal, createUniqueId, Show } from "solid-js";
import type { Chat } from "../../data/chat-store.ts";
import { useWorkspaceModels } from "../../data/models.ts";
import { models as t } from "../../i18n/models.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { answeredBy, modelName, ModelSelect } from "../../ui/model-choice.tsx";

/** What this chat is answered by, for every member to change; it counts from the next step on (CHT-1). */
export const ChatModel = (props: { readonly chat: Chat; readonly workspaceId: string }) => {
  const query = useWorkspaceModels(() => props.workspaceId);
  const id = createUniqueId();
  const [error, setError] = createSignal<unknown>(null);
  const data = () => (query.isPending || query.data === undefined ? undefined : query.data);
  const choice = (): ModelChoice => props.chat.state.view?.chat.model ?? null;
  const choose = async (wanted: ModelChoice): Promise<void> => {
    setError(null);
    try {
      await props.chat.update({ model: wanted });
    } catch (problem) {
      setError(problem);
      // What was chosen may be gone by now.
      void query.refetch();
    }
  };
  return (
    <Show when={data()}>
      {(known) => (
        <>
          <span class="inline-flex min-w-0 items-center gap-1.5">
            <label for={id}>{t("choice.chat")}</label>
            <ModelSelect
              field={{ id }}
              class="min-h-6 max-w-72 min-w-0 rounded-control border border-line-strong bg-surface px-1.5 text-ink"
              data={known()}
              choice={choice()}
              inherit={
                known().effective === null
                  ? t("choice.inheritNone")
                  : t("choice.ofWorkspace", { name: modelName(known(), known().effective) ?? "" })
              }
              onChoose={(wanted) => void choose(wanted)}
            />
          </span>
          <Show when={known().effective === null && answeredBy(known(), choice()) === null}>
            <span class="text-warn">{t("choice.nobody")}</span>
          </Show>
          <Show when={choice() !== null && answeredBy(known(), choice()) === null && known().effective !== null}>
            <span class="text-warn">{t("choice.goneHint", { name: modelName(known(), known().effective) ?? "" })}</span>
          </Show>
          <ErrorLine error={error()} />
        </>
      )}
    </Show>
  );
};
