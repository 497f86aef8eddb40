import type { DeadLetter } from "@aiw/contract/operation";
import { useQuery } from "@tanstack/solid-query";
import RotateCw from "lucide-solid/icons/rotate-cw";
import Trash from "lucide-solid/icons/trash";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { operation as t } from "../../i18n/operation.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { createAction } from "../settings/save.ts";
import { FormFrame } from "./form-frame.tsx";

const refresh = (): void => void queryClient.invalidateQueries({ queryKey: keys.adminDeadLetters });

const LetterRow = (props: { readonly letter: DeadLetter; readonly onRemove: () => void }): JSX.Element => {
  const action = createAction();
  const short = (): string => props.letter.id.slice(0, 8);
  const redrive = async (): Promise<void> => {
    const { queue, id: messageId } = props.letter;
    const done = await action.run(() => call("redriveDeadLetter", { params: { queue, messageId } }));
    if (done) toast(t("letters.redriven"));
    refresh();
  };
  return (
    <li class="flex flex-col gap-2 px-4 py-3">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span class="font-medium">{t(`letters.reason.${props.letter.reason}`)}</span>
        <span class="badge">{t(`letters.queue.${props.letter.queue}`)}</span>
        <span class="text-meta text-ink-2">
          {t("letters.sent")} <RelativeTime at={props.letter.sentAt} />
        </span>
        <span class="num text-meta text-ink-2">{t("letters.received", props.letter.receiveCount)}</span>
      </div>
      <pre
        class="max-h-40 overflow-auto rounded-panel border border-line bg-sunken p-2 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]"
        aria-label={t("letters.body")}
        tabindex={0}
      >
        <VisibleText text={props.letter.body} />
      </pre>
      <Show when={props.letter.bodyChars > props.letter.body.length}>
        <p class="num text-meta text-ink-2">{t("letters.cut", props.letter.bodyChars)}</p>
      </Show>
      <ErrorLine error={action.failure()} />
      <div class="flex flex-wrap gap-2">
        <button
          type="button"
          class="btn"
          aria-label={t("letters.redriveOf", { id: short() })}
          aria-disabled={action.busy()}
          onClick={() => void redrive()}
        >
          <RotateCw size={16} aria-hidden="true" />
          {t("letters.redrive")}
        </button>
        <button
          type="button"
          class="btn"
          aria-label={t("letters.removeOf", { id: short() })}
          onClick={() => props.onRemove()}
        >
          <Trash size={16} aria-hidden="true" />
          {t("letters.remove")}
        </button>
      </div>
    </li>
  );
};

/** Messages that were delivered too often (RUN-20, ADM-1): why, and the two things that can be done with them. */
export const AdminDeadLettersPage = (): JSX.Element => {
  const [removing, setRemoving] = createSignal<DeadLetter>();
  const action = createAction();
  const query = useQuery(() => ({ queryKey: keys.adminDeadLetters, queryFn: () => call("listDeadLetters") }));
  const remove = async (): Promise<void> => {
    const letter = removing();
    if (letter === undefined) return;
    const done = await action.run(() =>
      call("removeDeadLetter", { params: { queue: letter.queue, messageId: letter.id } }),
    );
    refresh();
    if (!done) return;
    setRemoving(undefined);
    toast(t("letters.removed"));
  };
  return (
    <Page>
      <PageHeader title={t("letters.title")} lead={t("letters.intro")} />
      <QueryPanel query={query} rows={2}>
        {(data) => (
          <Show
            when={data().items.length > 0}
            fallback={<EmptyState title={t("letters.empty")}>{t("letters.emptyHint")}</EmptyState>}
          >
            <ul class="panel divide-y divide-line" aria-label={t("letters.list")}>
              <For each={data().items}>
                {(letter) => <LetterRow letter={letter} onRemove={() => setRemoving(letter)} />}
              </For>
            </ul>
            <Show when={data().more}>
              <p class="text-ink-2">{t("letters.more")}</p>
            </Show>
          </Show>
        )}
      </QueryPanel>
      <Dialog
        open={removing() !== undefined}
        onOpenChange={(open) => !open && setRemoving(undefined)}
        title={t("letters.removeTitle")}
        description={t("letters.removeHint")}
      >
        <FormFrame
          save={t("letters.remove")}
          danger
          busy={action.busy()}
          failure={action.failure()}
          onSubmit={() => void remove()}
          onCancel={() => setRemoving(undefined)}
        >
          <p class="font-mono text-meta [overflow-wrap:anywhere]">{removing()?.id}</p>
        </FormFrame>
      </Dialog>
    </Page>
  );
};
