import type { Combination } from "@aiw/contract/labels";
import ShieldCheck from "lucide-solid/icons/shield-check";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { type JSX, Show } from "solid-js";
import { dateTime } from "../../i18n/index.ts";
import { rules as t } from "../../i18n/rules.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

/** Whether outward tools are blocked because of it, the sources by name, and who allowed them nevertheless and why (POL-11). */
export const CombinationFacts = (props: { readonly of: Combination }): JSX.Element => {
  const names = (of: readonly string[]): string => (of.length === 0 ? t("combination.none") : of.join(", "));
  return (
    <div class="flex flex-col gap-2">
      <Show
        when={props.of.lifted}
        fallback={
          <p class="flex items-start gap-2 rounded-control border border-warn bg-warn-bg p-3 text-warn">
            <TriangleAlert size={16} class="mt-1 shrink-0" aria-hidden="true" />
            {t("combination.blocked")}
          </p>
        }
      >
        {(lifted) => (
          <div class="flex items-start gap-2 rounded-control border border-line-strong p-3">
            <ShieldCheck size={16} class="mt-1 shrink-0" aria-hidden="true" />
            <div class="min-w-0 [overflow-wrap:anywhere]">
              <p class="font-medium">
                <VisibleText
                  text={t("combination.liftedBy", {
                    name: lifted().by?.displayName ?? t("combination.somebody"),
                    time: dateTime(lifted().at),
                  })}
                />
              </p>
              <p>
                <VisibleText text={t("combination.because", { reason: lifted().reason })} />
              </p>
            </div>
          </div>
        )}
      </Show>
      <dl class="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt class="text-ink-2">{t("combination.confidential")}</dt>
        <dd class="[overflow-wrap:anywhere]">
          <VisibleText text={names(props.of.confidential)} />
        </dd>
        <dt class="text-ink-2">{t("combination.untrusted")}</dt>
        <dd class="[overflow-wrap:anywhere]">
          <VisibleText text={names(props.of.untrusted)} />
        </dd>
      </dl>
    </div>
  );
};
