import { createEffect, type JSX, Show } from "solid-js";
import { t } from "../i18n/index.ts";
import { VisibleText } from "./visible-text-view.tsx";
import { visibleString } from "./visible-text.ts";

/** Title of the browser tab; the app's name is added. */
export const usePageTitle = (title: () => string): void => {
  createEffect(() => {
    document.title = `${visibleString(title(), "hidden")} · ${t("app")}`;
  });
};

/** Head of a page: title, what belongs beside it, main actions on the right. Sets the title of the tab. */
export const PageHeader = (props: {
  readonly title: string;
  readonly tabTitle?: string | undefined;
  readonly lead?: JSX.Element;
  readonly beside?: JSX.Element;
  readonly actions?: JSX.Element;
}) => {
  usePageTitle(() => props.tabTitle ?? props.title);
  return (
    <header class="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div class="min-w-0 flex-1 basis-80">
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 class="text-2xl [overflow-wrap:anywhere]">
            <VisibleText text={props.title} marks="hidden" />
          </h1>
          {props.beside}
        </div>
        <Show when={props.lead !== undefined}>
          <p class="mt-1 max-w-[70ch] text-ink-2">{props.lead}</p>
        </Show>
      </div>
      <Show when={props.actions !== undefined}>
        <div class="flex flex-wrap items-center gap-2">{props.actions}</div>
      </Show>
    </header>
  );
};
