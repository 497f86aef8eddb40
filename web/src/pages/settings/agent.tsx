import type { Agent, AgentSettings as Settings, GatedTool, InputTool } from "@aiw/contract/agents";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { createStore, unwrap } from "solid-js/store";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { agent as t } from "../../i18n/agent.ts";
import { dateTime } from "../../i18n/index.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { AgentGates } from "./agent-gates.tsx";
import { AgentInputs } from "./agent-inputs.tsx";
import { fieldFaults, gateFault, gateFaults, inputFault, trimmed, trimmedGate } from "./agent-model.ts";
import { createAction } from "./save.ts";
import { joinTtl, splitTtl, type Unit, UNITS } from "./ttl.ts";

const MODES = ["pause", "stage"] as const;
const REJECTIONS = ["continue", "fail"] as const;
const isUnit = (value: string): value is Unit => UNITS.some((unit) => unit === value);

const Choice = <T extends string>(props: {
  readonly name: string;
  readonly legend: string;
  readonly choices: readonly T[];
  readonly value: T;
  readonly disabled: boolean;
  readonly label: (choice: T) => string;
  readonly hint: (choice: T) => string;
  readonly onChange: (choice: T) => void;
}): JSX.Element => (
  <fieldset class="flex flex-col gap-2" disabled={props.disabled}>
    <legend class="mb-1 font-medium">{props.legend}</legend>
    <For each={props.choices}>
      {(choice) => (
        <label class="flex items-start gap-2 rounded-control border border-line p-3 has-checked:border-accent">
          <input
            type="radio"
            name={props.name}
            class="mt-0.5 size-4 shrink-0 accent-accent"
            value={choice}
            checked={props.value === choice}
            onChange={() => props.onChange(choice)}
          />
          <span>
            <span class="font-medium">{props.label(choice)}</span>
            <span class="block text-ink-2">{props.hint(choice)}</span>
          </span>
        </label>
      )}
    </For>
  </fieldset>
);

interface Draft {
  mode: Settings["mode"];
  onRejection: Settings["onRejection"];
  message: string;
  inputs: InputTool[];
  tools: GatedTool[];
}

const Form = (props: {
  readonly workspaceId: string;
  readonly agent: Agent;
  readonly isAdmin: boolean;
}): JSX.Element => {
  // A copy to work on; what stands in the cache is a proxy that cannot be cloned as it is.
  const settings = structuredClone(unwrap(props.agent.settings));
  const start = settings.timeoutS === null ? null : splitTtl(settings.timeoutS);
  const [draft, setDraft] = createStore<Draft>({
    mode: settings.mode,
    onRejection: settings.onRejection,
    message: settings.message,
    inputs: settings.inputs,
    tools: settings.tools,
  });
  const [own, setOwn] = createSignal(start !== null);
  const [time, setTime] = createSignal(String(start?.value ?? 1));
  const [unit, setUnit] = createSignal<Unit>(start?.unit ?? "h");
  const action = createAction();
  const timeError = (): string | undefined =>
    own() && joinTtl(time(), unit()) === null ? t("time.invalid") : undefined;
  const [tried, setTried] = createSignal(false);
  const save = async (): Promise<void> => {
    setTried(true);
    if (timeError() !== undefined || draft.inputs.some((_, index) => inputFault(draft.inputs, index) !== null)) return;
    if (draft.tools.some((_, index) => gateFault(draft.tools, index) !== null)) return;
    const { mode, onRejection, message, inputs, tools } = unwrap(draft);
    const saved = await action.run(async () => {
      const next = await call("saveAgent", {
        params: { workspaceId: props.workspaceId },
        body: {
          version: props.agent.version,
          settings: {
            mode,
            onRejection,
            timeoutS: own() ? joinTtl(time(), unit()) : null,
            message: message.trim(),
            tools: tools.map(trimmedGate),
            inputs: inputs.map(trimmed),
          },
        },
      });
      queryClient.setQueryData(keys.agent(props.workspaceId), next);
    });
    if (saved) toast(t("saved"));
  };
  return (
    <form
      class="panel flex flex-col gap-5 p-4"
      noValidate
      aria-labelledby="agent-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div>
        <h2 id="agent-title" class="text-lg">
          {t("title")}
        </h2>
        <p class="text-ink-2">{t("hint")}</p>
      </div>
      <Choice
        name="agent-mode"
        legend={t("mode.title")}
        choices={MODES}
        value={draft.mode}
        disabled={!props.isAdmin}
        label={(choice) => t(`mode.${choice}`)}
        hint={(choice) => t(`mode.${choice}Hint`)}
        onChange={(choice) => setDraft("mode", choice)}
      />
      <Choice
        name="agent-rejection"
        legend={t("rejection.title")}
        choices={REJECTIONS}
        value={draft.onRejection}
        disabled={!props.isAdmin}
        label={(choice) => t(`rejection.${choice}`)}
        hint={(choice) => t(`rejection.${choice}Hint`)}
        onChange={(choice) => setDraft("onRejection", choice)}
      />
      <fieldset class="flex flex-col gap-2" disabled={!props.isAdmin}>
        <legend class="mb-1 font-medium">{t("time.title")}</legend>
        <label class="flex min-h-9 items-center gap-2">
          <input
            type="checkbox"
            class="size-4 accent-accent"
            checked={own()}
            onChange={(event) => setOwn(event.currentTarget.checked)}
          />
          {t("time.own")}
        </label>
        <Show when={own()}>
          <div class="flex flex-wrap items-start gap-3">
            <div class="min-w-0 flex-1 basis-40">
              <FormField label={t("time.value")} error={timeError()} required>
                {(attrs) => (
                  <input
                    {...attrs}
                    class="input num"
                    inputmode="decimal"
                    value={time()}
                    onInput={(event) => setTime(event.currentTarget.value)}
                  />
                )}
              </FormField>
            </div>
            <div class="basis-36">
              <FormField label={t("time.unit")}>
                {(attrs) => (
                  <select
                    {...attrs}
                    class="input"
                    value={unit()}
                    onChange={(event) => isUnit(event.currentTarget.value) && setUnit(event.currentTarget.value)}
                  >
                    <For each={UNITS}>
                      {(choice) => (
                        <option value={choice} selected={choice === unit()}>
                          {t(`time.units.${choice}`)}
                        </option>
                      )}
                    </For>
                  </select>
                )}
              </FormField>
            </div>
          </div>
        </Show>
      </fieldset>
      <FormField label={t("message.title")} help={t("message.hint")}>
        {(attrs) => (
          <textarea
            {...attrs}
            class="input"
            rows={2}
            maxlength={500}
            disabled={!props.isAdmin}
            value={draft.message}
            onInput={(event) => setDraft("message", event.currentTarget.value)}
          />
        )}
      </FormField>
      <AgentInputs
        inputs={draft.inputs}
        isAdmin={props.isAdmin}
        faults={fieldFaults(action.failure())}
        onChange={(inputs) => setDraft("inputs", inputs)}
      />
      <AgentGates
        workspaceId={props.workspaceId}
        gates={draft.tools}
        isAdmin={props.isAdmin}
        tried={tried()}
        faults={gateFaults(action.failure())}
        onChange={(tools) => setDraft("tools", tools)}
      />
      <Show when={props.agent.changedBy} fallback={<p class="text-meta text-ink-2">{t("version.builtIn")}</p>}>
        {(by) => (
          <p class="text-meta text-ink-2">
            {t("version.saved", {
              n: String(props.agent.version),
              name: by().displayName,
              at: dateTime(props.agent.changedAt ?? ""),
            })}
          </p>
        )}
      </Show>
      <ErrorLine error={Object.keys(gateFaults(action.failure())).length > 0 ? null : action.failure()} />
      <Show when={props.isAdmin}>
        <button type="submit" class="btn btn-primary self-start" disabled={action.busy()}>
          {t("save")}
        </button>
      </Show>
    </form>
  );
};

/** How the agent asks: pause or stage, what a rejection does, how long a request is open, which inputs it may ask for (AGT-1). */
export const AgentSettings = (props: { readonly workspaceId: string; readonly isAdmin: boolean }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.agent(props.workspaceId),
    queryFn: () => call("getAgent", { params: { workspaceId: props.workspaceId } }),
  }));
  return (
    <QueryPanel query={query} rows={6}>
      {(agent) => (
        // A newer version begins a new form; the same one fetched again leaves what was typed.
        <For each={[agent().version]}>
          {() => <Form workspaceId={props.workspaceId} agent={agent()} isAdmin={props.isAdmin} />}
        </For>
      )}
    </QueryPanel>
  );
};
