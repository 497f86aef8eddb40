import type { ModelAdministration, ModelClass, ModelDefaults } from "@aiw/contract/models";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { queryClient } from "../../../data/query.ts";
import { models as t } from "../../../i18n/models.ts";
import { ErrorLine } from "../../../ui/error-panel.tsx";
import { FormField } from "../../../ui/form-field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { refreshModels } from "./parts.tsx";

export const CLASSES = ["fast", "standard", "thorough"] as const satisfies readonly ModelClass[];

/** Which model answers for a class, platform-wide (GW-2). */
export const DefaultsForm = (props: { readonly data: ModelAdministration }): JSX.Element => {
  const [draft, setDraft] = createSignal<Partial<ModelDefaults>>({});
  const action = createAction();
  const chosen = (of: ModelClass): string | null => {
    const own = draft()[of];
    return own === undefined ? props.data.defaults[of] : own;
  };
  const offered = () => props.data.models.filter((model) => model.active);
  const save = async (): Promise<void> => {
    const body = { fast: chosen("fast"), standard: chosen("standard"), thorough: chosen("thorough") };
    const saved = await action.run(async () => {
      queryClient.setQueryData(keys.adminModels, await call("setModelDefaults", { body }));
    });
    if (!saved) return;
    setDraft({});
    toast(t("saved"));
    refreshModels();
  };
  return (
    <form
      class="panel flex flex-col gap-3 p-4"
      aria-labelledby="model-defaults-title"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div>
        <h2 id="model-defaults-title" class="text-lg">
          {t("defaults.title")}
        </h2>
        <p class="text-ink-2">{t("defaults.hint")}</p>
      </div>
      <div class="grid gap-3 md:grid-cols-3">
        <For each={CLASSES}>
          {(of) => (
            <FormField label={t(`class.${of}`)}>
              {(field) => (
                <select
                  {...field}
                  class="input"
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    setDraft({ ...draft(), [of]: value === "" ? null : value });
                  }}
                >
                  <option value="" selected={chosen(of) === null}>
                    {t("defaults.none")}
                  </option>
                  <For each={offered()}>
                    {(model) => (
                      <option value={model.id} selected={chosen(of) === model.id}>
                        {visibleString(model.displayName)}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </FormField>
          )}
        </For>
      </div>
      <Show when={chosen("standard") === null}>
        <p class="text-warn">{t("defaults.noneHint")}</p>
      </Show>
      <ErrorLine error={action.failure()} />
      <button type="submit" class="btn btn-primary self-start" aria-disabled={action.busy()}>
        {t("save")}
      </button>
    </form>
  );
};
