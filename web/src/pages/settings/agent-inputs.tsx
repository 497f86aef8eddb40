import type { InputParamType, InputTool } from "@aiw/contract/agents";
import Plus from "lucide-solid/icons/plus";
import Trash from "lucide-solid/icons/trash";
import { For, Index, type JSX, Show } from "solid-js";
import { agent as t } from "../../i18n/agent.ts";
import { FormField } from "../../ui/form-field.tsx";
import { inputFault, NEW_INPUT } from "./agent-model.ts";

const TYPES = ["str", "int", "float", "bool"] as const satisfies readonly InputParamType[];
const isType = (value: string): value is InputParamType => TYPES.some((type) => type === value);

interface InputsProps {
  readonly inputs: readonly InputTool[];
  readonly isAdmin: boolean;
  /** Faults the server named, by path such as `inputs.0.name`. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (inputs: InputTool[]) => void;
}

const Params = (props: {
  readonly input: InputTool;
  readonly isAdmin: boolean;
  readonly onChange: (params: InputTool["params"]) => void;
}): JSX.Element => {
  const change = (index: number, part: Partial<InputTool["params"][number]>): void =>
    props.onChange(props.input.params.map((param, at) => (at === index ? { ...param, ...part } : param)));
  return (
    <fieldset class="flex flex-col gap-2" disabled={!props.isAdmin}>
      <legend class="mb-1 font-medium">{t("inputs.params")}</legend>
      <Index each={props.input.params}>
        {(param, index) => (
          <div class="flex flex-wrap items-center gap-2">
            <input
              class="input min-w-0 flex-1 basis-32 font-mono"
              aria-label={t("inputs.paramName")}
              maxlength={64}
              value={param().name}
              onInput={(event) => change(index, { name: event.currentTarget.value })}
            />
            <select
              class="input w-auto basis-28"
              aria-label={t("inputs.paramType")}
              onChange={(event) =>
                isType(event.currentTarget.value) && change(index, { type: event.currentTarget.value })
              }
            >
              <For each={TYPES}>
                {(type) => (
                  <option value={type} selected={param().type === type}>
                    {t(`inputs.types.${type}`)}
                  </option>
                )}
              </For>
            </select>
            <Show when={props.isAdmin}>
              <button
                type="button"
                class="btn-icon"
                aria-label={t("inputs.paramRemove")}
                title={t("inputs.paramRemove")}
                onClick={() => props.onChange(props.input.params.filter((_, at) => at !== index))}
              >
                <Trash size={16} aria-hidden="true" />
              </button>
            </Show>
          </div>
        )}
      </Index>
      <Show when={props.isAdmin && props.input.params.length < 20}>
        <button
          type="button"
          class="btn btn-sm self-start"
          onClick={() => props.onChange([...props.input.params, { name: "", type: "str" }])}
        >
          <Plus size={14} aria-hidden="true" />
          {t("inputs.paramAdd")}
        </button>
      </Show>
    </fieldset>
  );
};

/** Inputs the agent may ask for: each is a tool of its own whose result is a person's text (APR-9). */
export const AgentInputs = (props: InputsProps): JSX.Element => {
  const change = (index: number, part: Partial<InputTool>): void =>
    props.onChange(props.inputs.map((input, at) => (at === index ? { ...input, ...part } : input)));
  const nameError = (index: number): string | undefined => {
    const fault = inputFault(props.inputs, index);
    if (fault === "name" && props.inputs[index]?.name !== "") return t("inputs.nameInvalid");
    if (fault === "taken") return t("inputs.nameTaken");
    const said = props.faults[`inputs.${index}.name`];
    return said === undefined ? undefined : said === "reserved" ? t("inputs.nameReserved") : t("inputs.nameTool");
  };
  return (
    <div class="flex flex-col gap-3">
      <div>
        <p class="font-medium">{t("inputs.title")}</p>
        <p class="text-ink-2">{t("inputs.hint")}</p>
      </div>
      <Index each={props.inputs} fallback={<p class="text-ink-2">{t("inputs.none")}</p>}>
        {(input, index) => (
          <section class="flex flex-col gap-3 rounded-control border border-line p-3" aria-label={input().name}>
            <FormField label={t("inputs.name")} help={t("inputs.nameHint")} error={nameError(index)} required>
              {(attrs) => (
                <input
                  {...attrs}
                  class="input font-mono"
                  maxlength={64}
                  disabled={!props.isAdmin}
                  value={input().name}
                  onInput={(event) => change(index, { name: event.currentTarget.value })}
                />
              )}
            </FormField>
            <FormField label={t("inputs.label")} help={t("inputs.labelHint")} required>
              {(attrs) => (
                <input
                  {...attrs}
                  class="input"
                  maxlength={120}
                  disabled={!props.isAdmin}
                  value={input().label}
                  onInput={(event) => change(index, { label: event.currentTarget.value })}
                />
              )}
            </FormField>
            <FormField label={t("inputs.prompt")} help={t("inputs.promptHint")} required>
              {(attrs) => (
                <textarea
                  {...attrs}
                  class="input"
                  rows={2}
                  maxlength={2000}
                  disabled={!props.isAdmin}
                  value={input().prompt}
                  onInput={(event) => change(index, { prompt: event.currentTarget.value })}
                />
              )}
            </FormField>
            <Params input={input()} isAdmin={props.isAdmin} onChange={(params) => change(index, { params })} />
            <label class="flex min-h-9 items-start gap-2">
              <input
                type="checkbox"
                class="mt-0.5 size-4 shrink-0 accent-accent"
                disabled={!props.isAdmin}
                checked={input().sensitive}
                onChange={(event) => change(index, { sensitive: event.currentTarget.checked })}
              />
              <span>
                {t("inputs.sensitive")}
                <span class="block text-meta text-ink-2">{t("inputs.sensitiveHint")}</span>
              </span>
            </label>
            <Show when={props.isAdmin}>
              <button
                type="button"
                class="btn btn-sm self-start"
                onClick={() => props.onChange(props.inputs.filter((_, at) => at !== index))}
              >
                {t("inputs.remove")}
              </button>
            </Show>
          </section>
        )}
      </Index>
      <Show when={props.isAdmin && props.inputs.length < 20}>
        <button
          type="button"
          class="btn self-start"
          onClick={() => props.onChange([...props.inputs, structuredClone(NEW_INPUT)])}
        >
          <Plus size={16} aria-hidden="true" />
          {t("inputs.add")}
        </button>
      </Show>
    </div>
  );
};
