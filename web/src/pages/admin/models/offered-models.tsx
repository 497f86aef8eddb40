import type { ModelAdministration, ModelEndpoint, ModelImport } from "@aiw/contract/models";
import { For, type JSX, Show } from "solid-js";
import { call } from "../../../data/client.ts";
import { models as t } from "../../../i18n/models.ts";
import { ErrorLine } from "../../../ui/error-panel.tsx";
import { toast } from "../../../ui/toast.tsx";
import { VisibleText } from "../../../ui/visible-text-view.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { refreshModels } from "./parts.tsx";

/** What is not known of a model that a list only names. */
const UNKNOWN = {
  class: "standard",
  tools: true,
  streaming: true,
  contextWindow: null,
  priceIn: null,
  priceCachedIn: null,
  priceOut: null,
  active: true,
} as const;
const MAX_SHOWN_NAME = 80;

/** The list a gateway gave. Its names are its own words; adding one makes it a model of the platform (GW-2). */
export const OfferedModels = (props: {
  readonly endpoint: ModelEndpoint;
  readonly offer: ModelImport;
  readonly data: ModelAdministration;
}): JSX.Element => {
  const action = createAction();
  const isKnown = (name: string): boolean =>
    props.data.models.some((model) => model.endpointId === props.endpoint.id && model.name === name);
  const take = async (name: string): Promise<void> => {
    const done = await action.run(async () => {
      await call("createModel", {
        body: { endpointId: props.endpoint.id, name, displayName: name.slice(0, MAX_SHOWN_NAME), ...UNKNOWN },
      });
    });
    if (!done) return;
    toast(t("form.added", { name: visibleString(name) }));
    refreshModels();
  };
  return (
    <details>
      <summary class="min-h-6">{t("gateway.offered", props.offer.models.length)}</summary>
      <Show when={props.offer.cut}>
        <p class="text-warn">{t("gateway.cut")}</p>
      </Show>
      <Show when={props.offer.models.length === 0}>
        <p class="text-ink-2">{t("gateway.nothing")}</p>
      </Show>
      <ErrorLine error={action.failure()} />
      <ul class="mt-1 max-h-80 divide-y divide-line overflow-y-auto" tabindex="0" aria-label={t("list.title")}>
        <For each={props.offer.models}>
          {(name) => (
            <li class="flex flex-wrap items-center justify-between gap-2 py-1.5">
              <code class="mono min-w-0 [overflow-wrap:anywhere]">
                <VisibleText text={name} />
              </code>
              <Show when={!isKnown(name)} fallback={<span class="text-meta text-ink-2">{t("gateway.known")}</span>}>
                <button
                  type="button"
                  class="btn btn-sm"
                  aria-label={t("gateway.takeOf", { name: visibleString(name) })}
                  aria-disabled={action.busy()}
                  onClick={() => void take(name)}
                >
                  {t("gateway.take")}
                </button>
              </Show>
            </li>
          )}
        </For>
      </ul>
    </details>
  );
};
