import type { ModelChoice, ModelClass, WorkspaceModels } from "@aiw/contract/models";
import { For, type JSX, Show } from "solid-js";
import { models as t } from "../i18n/models.ts";
import type { FieldProps } from "./form-field.tsx";
import { visibleString } from "./visible-text.ts";

const CLASSES = ["fast", "standard", "thorough"] as const satisfies readonly ModelClass[];

export const valueOf = (choice: ModelChoice): string => {
  if (choice === null) return "";
  return "modelId" in choice ? `model:${choice.modelId}` : `class:${choice.class}`;
};

const choiceOf = (value: string): ModelChoice => {
  if (value.startsWith("model:")) return { modelId: value.slice("model:".length) };
  const of = CLASSES.find((one) => value === `class:${one}`);
  return of === undefined ? null : { class: of };
};

export const modelName = (data: WorkspaceModels, id: string | null): string | undefined => {
  const found = data.models.find((model) => model.id === id);
  return found === undefined ? undefined : visibleString(found.displayName);
};

/** What a choice is answered by at this moment; null: it is switched off, and something else answers. */
export const answeredBy = (data: WorkspaceModels, choice: ModelChoice): string | null => {
  if (choice === null) return data.effective;
  const id = "modelId" in choice ? choice.modelId : data.classes[choice.class];
  return data.models.some((model) => model.id === id) ? id : null;
};

/** Chooses a model or a class among what is switched on; the first entry leaves it to the level above (GW-2, CHT-1). */
export const ModelSelect = (props: {
  readonly field: Pick<FieldProps, "id"> & Partial<FieldProps>;
  readonly data: WorkspaceModels;
  readonly choice: ModelChoice;
  /** Words for leaving it to the level above. */
  readonly inherit: string;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly label?: string;
  readonly onChoose: (choice: ModelChoice) => void;
}): JSX.Element => {
  const isGone = (): boolean => props.choice !== null && answeredBy(props.data, props.choice) === null;
  return (
    <select
      {...props.field}
      class={props.class ?? "input"}
      aria-label={props.label}
      disabled={props.disabled === true}
      onChange={(event) => props.onChoose(choiceOf(event.currentTarget.value))}
    >
      <option value="" selected={props.choice === null}>
        {props.inherit}
      </option>
      <Show when={isGone()}>
        <option value={valueOf(props.choice)} selected disabled>
          {t("choice.gone")}
        </option>
      </Show>
      <optgroup label={t("choice.classes")}>
        <For each={CLASSES.filter((of) => props.data.classes[of] !== null)}>
          {(of) => (
            <option value={`class:${of}`} selected={valueOf(props.choice) === `class:${of}`}>
              {t("choice.classOf", {
                class: t(`class.${of}`),
                name: modelName(props.data, props.data.classes[of]) ?? "",
              })}
            </option>
          )}
        </For>
      </optgroup>
      <optgroup label={t("choice.models")}>
        <For each={props.data.models}>
          {(model) => (
            <option value={`model:${model.id}`} selected={valueOf(props.choice) === `model:${model.id}`}>
              {visibleString(model.displayName)}
            </option>
          )}
        </For>
      </optgroup>
    </select>
  );
};
