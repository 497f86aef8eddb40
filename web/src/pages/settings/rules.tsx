import type { WritePolicy } from "@aiw/contract/tools";
import type { WorkspaceDetail } from "@aiw/contract/views";
import { createSignal, For, type JSX, Show } from "solid-js";
import { settings as t } from "../../i18n/settings.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction, saveWorkspace } from "./save.ts";
import { joinTtl, splitTtl, type Unit, UNITS, wholeNumber } from "./ttl.ts";

const POLICIES = ["risk_based", "confirm_external"] as const satisfies readonly WritePolicy[];
const isUnit = (value: string): value is Unit => UNITS.some((unit) => unit === value);

/** Mode A or B (POL-5), how long a request stays open (APR-7), how many tool rounds an answer may take (RUN-10). */
export const RuleSettings = (props: { readonly ws: WorkspaceDetail; readonly isAdmin: boolean }): JSX.Element => {
  const start = splitTtl(props.ws.approvalTtlS);
  const [policy, setPolicy] = createSignal<WritePolicy>(props.ws.writePolicy);
  const [ttl, setTtl] = createSignal(String(start.value));
  const [unit, setUnit] = createSignal<Unit>(start.unit);
  const [rounds, setRounds] = createSignal(String(props.ws.maxToolRounds));
  const action = createAction();
  const ttlError = (): string | undefined => (joinTtl(ttl(), unit()) === null ? t("rules.ttlInvalid") : undefined);
  const roundsError = (): string | undefined =>
    wholeNumber(rounds(), 1, 100) === null ? t("rules.roundsInvalid") : undefined;
  let ttlField: HTMLInputElement | undefined;
  let roundsField: HTMLInputElement | undefined;
  const save = async (): Promise<void> => {
    const [approvalTtlS, maxToolRounds] = [joinTtl(ttl(), unit()), wholeNumber(rounds(), 1, 100)];
    if (approvalTtlS === null) return ttlField?.focus();
    if (maxToolRounds === null) return roundsField?.focus();
    const saved = await action.run(() =>
      saveWorkspace(props.ws.id, { writePolicy: policy(), approvalTtlS, maxToolRounds }),
    );
    if (saved) toast(t("saved"));
  };
  return (
    <form
      class="panel flex flex-col gap-5 p-4"
      noValidate
      aria-labelledby="rules-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 id="rules-title" class="text-lg">
        {t("rules.title")}
      </h2>
      <fieldset class="flex flex-col gap-2" disabled={!props.isAdmin}>
        <legend class="mb-1 font-medium">{t("rules.mode")}</legend>
        <For each={POLICIES}>
          {(choice) => (
            <label class="flex items-start gap-2 rounded-control border border-line p-3 has-checked:border-accent">
              <input
                type="radio"
                name="write-policy"
                class="mt-0.5 size-4 shrink-0 accent-accent"
                value={choice}
                checked={policy() === choice}
                onChange={() => setPolicy(choice)}
              />
              <span>
                <span class="font-medium">{t(`rules.${choice}`)}</span>
                <span class="block text-ink-2">{t(`rules.${choice}Hint`)}</span>
              </span>
            </label>
          )}
        </For>
        <p class="text-meta text-ink-2">{t("rules.always")}</p>
      </fieldset>
      <div class="flex flex-wrap items-start gap-3">
        <div class="min-w-0 flex-1 basis-64">
          <FormField label={t("rules.ttl")} help={t("rules.ttlHint")} error={ttlError()} required>
            {(attrs) => (
              <input
                {...attrs}
                ref={(element) => (ttlField = element)}
                class="input num"
                inputmode="decimal"
                disabled={!props.isAdmin}
                value={ttl()}
                onInput={(event) => setTtl(event.currentTarget.value)}
              />
            )}
          </FormField>
        </div>
        <div class="basis-36">
          <FormField label={t("rules.unit")}>
            {(attrs) => (
              <select
                {...attrs}
                class="input"
                disabled={!props.isAdmin}
                value={unit()}
                onChange={(event) => isUnit(event.currentTarget.value) && setUnit(event.currentTarget.value)}
              >
                <For each={UNITS}>
                  {(choice) => (
                    <option value={choice} selected={choice === unit()}>
                      {t(`rules.units.${choice}`)}
                    </option>
                  )}
                </For>
              </select>
            )}
          </FormField>
        </div>
      </div>
      <FormField label={t("rules.rounds")} help={t("rules.roundsHint")} error={roundsError()} required>
        {(attrs) => (
          <input
            {...attrs}
            ref={(element) => (roundsField = element)}
            class="input num max-w-40"
            inputmode="numeric"
            disabled={!props.isAdmin}
            value={rounds()}
            onInput={(event) => setRounds(event.currentTarget.value)}
          />
        )}
      </FormField>
      <ErrorLine error={action.failure()} />
      <Show when={props.isAdmin}>
        <button type="submit" class="btn btn-primary self-start" disabled={action.busy()}>
          {t("save")}
        </button>
      </Show>
    </form>
  );
};
