import type { Question } from "@aiw/contract/questions";
import MessageCircleQuestionMark from "lucide-solid/icons/message-circle-question-mark";
import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { tChat } from "../../i18n/chat.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const AnswerBox = (props: { readonly question: Question; readonly onDone: () => void }): JSX.Element => {
  const [text, setText] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const id = createUniqueId();
  const off = (): boolean => busy() || text().trim() === "";
  const send = async (): Promise<void> => {
    if (off()) return;
    setBusy(true);
    setFailure(null);
    try {
      const { runId, id: questionId } = props.question;
      await call("answerQuestion", { params: { runId, questionId }, body: { text: text() } });
    } catch (problem) {
      setFailure(problem);
    } finally {
      setBusy(false);
      props.onDone();
    }
  };
  return (
    <form
      class="mt-2 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void send();
      }}
    >
      <label for={id} class="sr-only">
        {tChat("question.answer")}
      </label>
      <textarea
        id={id}
        class="input"
        rows={2}
        maxlength={32_000}
        placeholder={tChat("question.answer")}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ErrorLine error={failure()} />
      <button type="submit" class="btn btn-primary self-end" aria-disabled={off()}>
        {tChat("question.send")}
      </button>
    </form>
  );
};

/** What the agent asks, with the box to answer in: the run waits until somebody who may does (RUN-16, RUN-22). */
export const QuestionDock = (props: {
  readonly runId: string;
  readonly questions: readonly Question[];
  readonly onDone: () => void;
}): JSX.Element => {
  const open = (): readonly Question[] => props.questions.filter((q) => q.runId === props.runId && q.status === "open");
  return (
    <For each={open()}>
      {(question) => (
        <section
          class="rounded-panel border border-warn bg-warn-bg p-3 text-ink"
          aria-label={tChat("question.title")}
          data-testid="question"
        >
          <p class="flex items-start gap-2 font-medium text-warn">
            <MessageCircleQuestionMark size={15} class="mt-0.5 shrink-0" aria-hidden="true" />
            {tChat("question.title")}
          </p>
          <p class="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={question.text} marks="hidden" />
          </p>
          <Show
            when={question.mayAnswer}
            fallback={<p class="mt-2 text-meta text-ink-2">{tChat("question.notYou")}</p>}
          >
            <AnswerBox question={question} onDone={props.onDone} />
          </Show>
        </section>
      )}
    </For>
  );
};
