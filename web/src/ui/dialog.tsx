import * as Kobalte from "@kobalte/core/dialog";
import X from "lucide-solid/icons/x";
import { type JSX, Show } from "solid-js";
import { t } from "../i18n/index.ts";
import { VisibleText } from "./visible-text-view.tsx";

/** A modal dialog: focus stays inside, Escape closes, focus returns to where it was. A full sheet on a phone. */
export const Dialog = (props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: string | undefined;
  /** Where the focus goes on closing when what had it is gone (an entry of a menu, say). */
  readonly returnTo?: (() => HTMLElement | undefined) | undefined;
  readonly children: JSX.Element;
}) => {
  const onCloseAutoFocus = (event: Event): void => {
    const target = props.returnTo?.();
    if (target === undefined) return;
    event.preventDefault();
    target.focus();
  };
  return (
    <Kobalte.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Kobalte.Portal>
        <Kobalte.Overlay class="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]" />
        <div class="fixed inset-0 z-50 flex items-end justify-center md:items-start md:pt-[12vh]">
          <Kobalte.Content
            onCloseAutoFocus={onCloseAutoFocus}
            class="max-h-[92dvh] w-full max-w-lg overflow-y-auto rounded-t-panel border border-line bg-surface p-5 shadow-pop outline-none md:max-h-[80vh] md:rounded-panel"
          >
            <div class="flex items-start justify-between gap-4">
              <Kobalte.Title class="text-lg font-semibold [overflow-wrap:anywhere]">
                <VisibleText text={props.title} marks="hidden" />
              </Kobalte.Title>
              <Kobalte.CloseButton class="btn-icon -mt-1.5 -mr-2" aria-label={t("act.close")}>
                <X size={16} aria-hidden="true" />
              </Kobalte.CloseButton>
            </div>
            <Show when={props.description}>
              <Kobalte.Description class="mt-1 text-ink-2">{props.description}</Kobalte.Description>
            </Show>
            <div class="mt-4">{props.children}</div>
          </Kobalte.Content>
        </div>
      </Kobalte.Portal>
    </Kobalte.Root>
  );
};
