import X from "lucide-solid/icons/x";
import { createSignal, For } from "solid-js";
import { t } from "../i18n/index.ts";
import { VisibleText } from "./visible-text-view.tsx";

interface Message {
  readonly id: number;
  readonly text: string;
}
const [messages, setMessages] = createSignal<readonly Message[]>([]);
let lastId = 0;
const drop = (id: number): void => {
  setMessages((all) => all.filter((m) => m.id !== id));
};

/** Tell of a result that shows elsewhere. Never for errors: those stay where they can be read. */
export const toast = (text: string): void => {
  lastId += 1;
  const id = lastId;
  setMessages((all) => [...all.slice(-2), { id, text }]);
  setTimeout(() => drop(id), 6000);
};

/** Where toasts appear; once per app. */
export const Toasts = () => (
  <div
    role="status"
    aria-live="polite"
    class="pointer-events-none fixed inset-x-0 bottom-20 z-50 flex flex-col items-center gap-2 px-4 md:bottom-6"
  >
    <For each={messages()}>
      {(m) => (
        <div class="pointer-events-auto flex items-center gap-3 rounded-panel border border-line bg-surface py-1 pr-1 pl-4 shadow-pop">
          <span>
            <VisibleText text={m.text} marks="hidden" />
          </span>
          <button type="button" class="btn-icon" aria-label={t("act.dismiss")} onClick={() => drop(m.id)}>
            <X size={14} aria-hidden="true" />
          </button>
        </div>
      )}
    </For>
  </div>
);
