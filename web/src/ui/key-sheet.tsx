import { For, Show } from "solid-js";
import { keysOn } from "../data/prefs.ts";
import { t } from "../i18n/index.ts";
import { Dialog } from "./dialog.tsx";
import { boundKeys, type KeyScope } from "./keys.ts";

const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);
const shown = (key: string): string => key.replace("mod+", isMac() ? "⌘" : "Ctrl+").replace("Escape", "Esc");

const present = (scope: KeyScope) => boundKeys(scope).filter((b) => b.when === undefined || b.when());

const Section = (props: { readonly scope: KeyScope; readonly title: string }) => (
  <Show when={present(props.scope).length > 0}>
    <h3 class="label mt-4 mb-1">{props.title}</h3>
    <dl class="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5">
      <For each={present(props.scope)}>
        {(b) => (
          <>
            <dt>{b.label()}</dt>
            <dd class="flex items-center justify-end gap-1">
              <For each={b.keys.split(" ")}>
                {(key, i) => (
                  <>
                    <Show when={i() > 0}>
                      <span class="text-meta text-ink-2">{t("keys.after")}</span>
                    </Show>
                    <kbd class="rounded-badge border border-line-strong px-1.5 font-mono text-meta">{shown(key)}</kbd>
                  </>
                )}
              </For>
            </dd>
          </>
        )}
      </For>
    </dl>
  </Show>
);

/** What the keyboard can do here. */
export const KeySheet = (props: { readonly open: boolean; readonly onOpenChange: (open: boolean) => void }) => (
  <Dialog open={props.open} onOpenChange={props.onOpenChange} title={t("keys.title")}>
    <Show when={!keysOn()}>
      <p class="text-ink-2">{t("keys.off")}</p>
    </Show>
    <Section scope="page" title={t("keys.page")} />
    <Section scope="global" title={t("keys.global")} />
  </Dialog>
);
