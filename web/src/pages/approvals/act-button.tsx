import { createSignal, type JSX, onCleanup, onMount } from "solid-js";
import { ARM_MS } from "./decision-model.ts";

/** Becomes true a moment after the caller was drawn: what just appeared under the cursor takes no click (APR-15). */
export const createArmed = (): (() => boolean) => {
  const [armed, setArmed] = createSignal(false);
  onMount(() => {
    const timer = setTimeout(() => setArmed(true), ARM_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return armed;
};

/** A button that stays focusable while it does not act, so that the keyboard never loses its place. */
export const ActButton = (props: {
  readonly class: string;
  readonly off: boolean;
  readonly onAct: () => void;
  readonly ref?: (element: HTMLButtonElement) => void;
  readonly children: JSX.Element;
}): JSX.Element => (
  <button
    type="button"
    class={`btn min-h-12 transition-none flex-1 md:min-h-10 md:flex-none ${props.class}`}
    aria-disabled={props.off}
    ref={(element) => props.ref?.(element)}
    onClick={() => {
      if (!props.off) props.onAct();
    }}
  >
    {props.children}
  </button>
);
