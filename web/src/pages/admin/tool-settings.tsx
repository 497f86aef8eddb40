import type { AdminTool } from "@aiw/contract/views";
import { For, type JSX, Show } from "solid-js";
import { mcp as t } from "../../i18n/mcp.ts";
import { FormField } from "../../ui/form-field.tsx";
import {
  argumentsOf,
  type Fault,
  probeTools,
  readSettings,
  type SettingsDraft,
  type SettingsField,
} from "./tool-settings-model.ts";

const WORDS = {
  json: () => t("settings.badJson"),
  object: () => t("settings.badObject"),
  required: () => t("settings.required"),
} satisfies Record<Fault, () => string>;

const JsonArea = (props: {
  readonly label: string;
  readonly help?: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly rows: number;
  readonly onInput: (text: string) => void;
}): JSX.Element => (
  <FormField label={props.label} help={props.help} error={props.error}>
    {(attrs) => (
      <textarea
        {...attrs}
        class="input font-mono"
        rows={props.rows}
        maxlength={20_000}
        autocapitalize="off"
        spellcheck={false}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    )}
  </FormField>
);

interface Props {
  readonly tool: AdminTool;
  readonly tools: readonly AdminTool[];
  readonly draft: SettingsDraft;
  readonly change: (part: Partial<SettingsDraft>) => void;
  /** Faults are shown once somebody tried to save. */
  readonly tried: boolean;
}

/** How a server's tool is called: arguments set by the platform, the key of a write, the question whether it happened (MCP-2). */
export const ToolSettingsFields = (props: Props): JSX.Element => {
  const fault = (field: SettingsField): string | undefined => {
    if (!props.tried) return undefined;
    const read = readSettings(props.draft);
    const found = read.ok ? undefined : read.faults[field];
    return found === undefined ? undefined : WORDS[found]();
  };
  return (
    <fieldset class="flex flex-col gap-3 rounded-control border border-line p-3">
      <legend class="label px-1">{t("settings.title")}</legend>
      <p class="text-meta text-ink-2">{t("settings.intro")}</p>
      <JsonArea
        label={t("settings.serverArguments")}
        help={t("settings.serverArgumentsHint")}
        error={fault("serverArguments")}
        value={props.draft.serverArguments}
        rows={3}
        onInput={(serverArguments) => props.change({ serverArguments })}
      />
      <FormField label={t("settings.idempotency")} help={t("settings.idempotencyHint")}>
        {(attrs) => (
          <select
            {...attrs}
            class="input"
            onChange={(event) => props.change({ idempotencyArgument: event.currentTarget.value })}
          >
            <option value="" selected={props.draft.idempotencyArgument === ""}>
              {t("settings.none")}
            </option>
            <For each={argumentsOf(props.tool)}>
              {(name) => (
                <option value={name} selected={props.draft.idempotencyArgument === name}>
                  {name}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <div>
        <label class="flex items-start gap-2">
          <input
            type="checkbox"
            class="mt-0.5 size-4 accent-accent"
            checked={props.draft.probing}
            onChange={(event) => props.change({ probing: event.currentTarget.checked })}
          />
          {t("settings.probe")}
        </label>
        <p class="pl-6 text-meta text-ink-2">{t("settings.probeHint")}</p>
      </div>
      <Show when={props.draft.probing}>
        <div class="grid gap-3 md:grid-cols-2">
          <FormField label={t("settings.probeTool")} error={fault("probeTool")} required>
            {(attrs) => (
              <select
                {...attrs}
                class="input"
                onChange={(event) => props.change({ probeTool: event.currentTarget.value })}
              >
                <option value="" selected={props.draft.probeTool === ""} />
                <For each={probeTools(props.tool, props.tools)}>
                  {(name) => (
                    <option value={name} selected={props.draft.probeTool === name}>
                      {name}
                    </option>
                  )}
                </For>
              </select>
            )}
          </FormField>
          <FormField
            label={t("settings.probePath")}
            help={t("settings.probePathHint")}
            error={fault("probePath")}
            required
          >
            {(attrs) => (
              <input
                {...attrs}
                class="input font-mono"
                maxlength={500}
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                value={props.draft.probePath}
                onInput={(event) => props.change({ probePath: event.currentTarget.value })}
              />
            )}
          </FormField>
          <JsonArea
            label={t("settings.probeArguments")}
            help={t("settings.probeArgumentsHint")}
            error={fault("probeArguments")}
            value={props.draft.probeArguments}
            rows={3}
            onInput={(probeArguments) => props.change({ probeArguments })}
          />
          <JsonArea
            label={t("settings.probeEquals")}
            error={fault("probeEquals")}
            value={props.draft.probeEquals}
            rows={3}
            onInput={(probeEquals) => props.change({ probeEquals })}
          />
        </div>
      </Show>
    </fieldset>
  );
};
