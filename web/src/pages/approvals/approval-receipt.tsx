import type { ApprovalDetail } from "@aiw/contract/views";
import Check from "lucide-solid/icons/check";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { For, type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { de } from "../../i18n/de/approvals.ts";
import { dateTime } from "../../i18n/index.ts";
import { Hash } from "../../ui/hash.tsx";
import { FactValue } from "./approval-facts.tsx";
import { secondsBetween } from "./decision-model.ts";

type FactKey = keyof typeof de.fact;
const isFact = (key: string): key is FactKey => Object.hasOwn(de.fact, key);
export const factLabel = (key: string): string => (isFact(key) ? t(`fact.${key}`) : key);

/** One fact as it was expected and as it was reported. */
const Effect = (props: { readonly effect: ApprovalDetail["effects"][number] }): JSX.Element => (
  <tr class="border-t border-line align-top">
    <th scope="row" class="py-1 pr-3 text-left font-normal text-ink-2">
      {factLabel(props.effect.fact)}
    </th>
    <td class="py-1 pr-3">
      <FactValue value={props.effect.predicted} />
    </td>
    <td class="py-1">
      <span class={`flex items-start gap-1 ${props.effect.same ? "" : "font-semibold text-neg"}`}>
        <FactValue value={props.effect.actual} />
        <Show
          when={props.effect.same}
          fallback={<TriangleAlert size={16} class="shrink-0" aria-label={t("receipt.differs")} />}
        >
          <Check size={16} class="shrink-0 text-pos" aria-label={t("receipt.agrees")} />
        </Show>
      </span>
    </td>
  </tr>
);

/**
 * APR-21: approved hash beside executed hash, the expected effect beside the reported one, where the result is, and how long it
 * took: the proof that what ran is what was seen. A difference is an incident.
 */
export const Receipt = (props: { readonly item: ApprovalDetail; readonly executedHash: string }): JSX.Element => {
  const same = (): boolean => props.executedHash === props.item.snapshotHash;
  const repository = (): string | undefined =>
    props.item.preview.fields?.find((field) => field.label === "repository")?.value;
  return (
    <section aria-labelledby="approval-receipt" class="mt-3 flex flex-col gap-2">
      <h3 id="approval-receipt" class="label">
        {t("receipt.title")}
      </h3>
      <Show when={props.item.incident}>
        <p role="alert" class="flex items-start gap-1.5 rounded-control bg-neg-bg px-3 py-1.5 font-semibold text-neg">
          <TriangleAlert size={16} class="mt-0.5 shrink-0" aria-hidden="true" />
          {t("receipt.incident")}
        </p>
      </Show>
      <p class={same() ? "text-pos" : "font-semibold text-neg"}>
        {same() ? t("receipt.same") : t("receipt.different")}
      </p>
      <dl class="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
        <dt class="text-ink-2">{t("receipt.approvedHash")}</dt>
        <dd>
          <Hash value={props.item.snapshotHash} digits={16} label={t("hash.copy")} />
        </dd>
        <dt class="text-ink-2">{t("receipt.executedHash")}</dt>
        <dd>
          <Hash value={props.executedHash} digits={16} label={t("hash.copy")} />
        </dd>
        <Show when={props.item.executedAt}>
          {(at) => (
            <>
              <dt class="text-ink-2">{t("receipt.executedAt")}</dt>
              <dd>
                {dateTime(at())}
                <Show when={secondsBetween(props.item.decidedAt, at())}>
                  {(seconds) => <span class="text-ink-2"> · {t("receipt.after", { seconds: seconds() })}</span>}
                </Show>
              </dd>
            </>
          )}
        </Show>
        <Show when={repository()}>
          {(url) => (
            <>
              <dt class="text-ink-2">{t("receipt.where")}</dt>
              <dd>
                <FactValue value={url()} />
              </dd>
            </>
          )}
        </Show>
      </dl>
      <Show when={props.item.effects.length > 0}>
        <table class="w-full max-w-[60rem] table-fixed">
          <thead>
            <tr class="text-meta text-ink-2">
              <th scope="col" class="w-1/4 py-1 pr-3 text-left font-normal">
                {t("receipt.effect")}
              </th>
              <th scope="col" class="py-1 pr-3 text-left font-normal">
                {t("receipt.predicted")}
              </th>
              <th scope="col" class="py-1 text-left font-normal">
                {t("receipt.actual")}
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.item.effects}>{(effect) => <Effect effect={effect} />}</For>
          </tbody>
        </table>
      </Show>
    </section>
  );
};
