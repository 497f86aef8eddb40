import { type JSX, Show } from "solid-js";

/** Says what is empty, when something would appear, and what can be done. */
export const EmptyState = (props: {
  readonly title: string;
  readonly children?: JSX.Element;
  readonly action?: JSX.Element;
}) => (
  <div class="panel flex flex-col items-start gap-2 p-6">
    <p class="font-medium">{props.title}</p>
    <Show when={props.children !== undefined}>
      <p class="max-w-[65ch] text-ink-2">{props.children}</p>
    </Show>
    <Show when={props.action !== undefined}>
      <div class="mt-1 flex flex-wrap gap-2">{props.action}</div>
    </Show>
  </div>
);
