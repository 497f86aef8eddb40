import SendHorizontal from "lucide-solid/icons/send-horizontal";
import Square from "lucide-solid/icons/square";
import { createEffect, createSignal, on, onMount, Show } from "solid-js";
import { draftKey, readPref, writePref } from "../../data/prefs.ts";
import { tChat } from "../../i18n/chat.ts";

/** Longest message the API takes, in characters. */
const MAX_TEXT = 32_000;

interface ComposerProps {
  readonly chatId: string;
  /** Take the focus at once. */
  readonly focus: boolean;
  readonly active: boolean;
  readonly mayStop: boolean;
  readonly stopping: boolean;
  readonly lastSent: string | undefined;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** Where a message is written. The draft is kept in this browser until it is sent; a waiting run never blocks it. */
export const Composer = (props: ComposerProps) => {
  const key = (): string => draftKey(props.chatId);
  const [text, setText] = createSignal(readPref(key()) ?? "");
  let area: HTMLTextAreaElement | undefined;
  createEffect(on(key, (now) => setText(readPref(now) ?? ""), { defer: true }));
  onMount(() => {
    if (props.focus) area?.focus();
  });
  const change = (value: string): void => {
    setText(value);
    writePref(key(), value === "" ? null : value);
  };
  const over = (): number => text().length - MAX_TEXT;
  const sendable = (): boolean => text().trim() !== "" && over() <= 0;
  const send = (): void => {
    if (!sendable()) return;
    props.onSend(text());
    change("");
    area?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    }
    if (event.key === "ArrowUp" && text() === "" && props.lastSent !== undefined) {
      event.preventDefault();
      change(props.lastSent);
    }
    if (event.key === "Escape") area?.blur();
  };
  const hint = (): string => (props.active ? tChat("sendLater") : tChat("sendHint"));
  return (
    <form
      class="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="flex items-end gap-2 rounded-panel border border-line-strong bg-surface p-1.5 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent">
        <textarea
          ref={(element) => (area = element)}
          class="max-h-[40dvh] min-h-9 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none field-sizing-content"
          rows={1}
          name="message"
          aria-label={tChat("composer")}
          aria-describedby="composer-hint"
          aria-invalid={over() > 0 ? "true" : undefined}
          placeholder={tChat("placeholder")}
          value={text()}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Show when={props.active && props.mayStop}>
          <button
            type="button"
            class="btn"
            title={`${tChat("stop")} (.)`}
            aria-disabled={props.stopping}
            onClick={() => props.onStop()}
          >
            <Square size={14} aria-hidden="true" />
            {tChat("stopShort")}
          </button>
        </Show>
        <button type="submit" class="btn btn-primary" aria-disabled={!sendable()}>
          <SendHorizontal size={15} aria-hidden="true" />
          <span class="max-md:sr-only">{tChat("send")}</span>
        </button>
      </div>
      <p
        id="composer-hint"
        class={`px-1 text-meta ${over() > 0 ? "text-neg" : "text-ink-2"} ${props.active || over() > 0 ? "" : "hidden md:block"}`}
      >
        {over() > 0 ? tChat("tooLong", over()) : hint()}
      </p>
    </form>
  );
};
