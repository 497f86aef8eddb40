import type { JSX } from "solid-js";

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
