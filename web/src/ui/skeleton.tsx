import { createSignal, For, onCleanup, Show } from "solid-js";
import { t } from "../i18n/index.ts";

/** Place of what is being loaded; nothing for the first 150 ms, so that quick answers do not flicker. */
export const Skeleton = (props: { readonly rows?: number | undefined }) => {
  const [shown, setShown] = createSignal(false);
  const timer = setTimeout(() => setShown(true), 150);
  onCleanup(() => clearTimeout(timer));
  return (
    <div role="status" class="flex flex-col gap-2 py-1">
      <span class="sr-only">{t("loading")}</span>
      <For each={Array.from({ length: props.rows ?? 3 }, (_, i) => i)}>
        {(i) => (
          <div aria-hidden="true" class="h-10">
            <Show when={shown()}>
              <div class={`h-full rounded-control bg-mute-bg ${i % 3 === 2 ? "w-2/3" : "w-full"}`} />
            </Show>
          </div>
        )}
      </For>
    </div>
  );
};
