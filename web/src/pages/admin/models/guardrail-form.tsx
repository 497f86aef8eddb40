import type { Guardrail, GuardrailMatch } from "@aiw/contract/guardrails";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { queryClient } from "../../../data/query.ts";
import { models as t } from "../../../i18n/models.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { createAction } from "../../settings/save.ts";
import { FormFrame } from "../form-frame.tsx";
import { readWords } from "./model-fields.ts";
import { Check, TextInput } from "./parts.tsx";

export const CONDITIONS = ["status", "code", "type", "messageIncludes", "messageEquals", "bodyHas"] as const;
type Condition = (typeof CONDITIONS)[number];
const LISTS: readonly Condition[] = ["status", "code", "type", "messageIncludes"];

/** A condition as it is typed. */
export const textOf = (match: GuardrailMatch, of: Condition): string => {
  const value = match[of];
  if (value === undefined) return "";
  return typeof value === "string" ? value : value.join(", ");
};

const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const DIRECTIONS = ["auto", "request", "response"] as const;
type Texts = Readonly<Record<Condition, string>>;

const statusOf = (text: string): readonly number[] | undefined => {
  const numbers = readWords(text).map(Number);
  return numbers.every((n) => Number.isInteger(n) && n >= 100 && n <= 599) ? numbers : undefined;
};

/** Only what was filled in is a condition. */
const matchOf = (texts: Texts): GuardrailMatch => {
  const list = (of: Condition): string[] | undefined => {
    const words = readWords(texts[of]);
    return words.length === 0 ? undefined : words;
  };
  const one = (of: Condition): string | undefined => (texts[of].trim() === "" ? undefined : texts[of].trim());
  const status = statusOf(texts.status) ?? [];
  return Object.fromEntries(
    Object.entries({
      status: status.length === 0 ? undefined : [...status],
      code: list("code"),
      type: list("type"),
      messageIncludes: list("messageIncludes"),
      messageEquals: one("messageEquals"),
      bodyHas: one("bodyHas"),
    }).filter(([, value]) => value !== undefined),
  );
};

const hintOf = (of: Condition): string | undefined => {
  if (of === "messageIncludes") return t("guard.includesHint");
  if (of === "bodyHas") return t("guard.bodyHint");
  return LISTS.includes(of) ? t("guard.listHint") : undefined;
};

/** Adds a line of the map, or changes one; also one that came with the product (GW-4). */
export const GuardrailForm = (props: { readonly line?: Guardrail; readonly onDone: () => void }): JSX.Element => {
  const { line } = props;
  const action = createAction();
  const [tried, setTried] = createSignal(false);
  const [name, setName] = createSignal(line?.name ?? "");
  const [texts, setTexts] = createSignal<Texts>({
    status: textOf(line?.match ?? {}, "status"),
    code: textOf(line?.match ?? {}, "code"),
    type: textOf(line?.match ?? {}, "type"),
    messageIncludes: textOf(line?.match ?? {}, "messageIncludes"),
    messageEquals: textOf(line?.match ?? {}, "messageEquals"),
    bodyHas: textOf(line?.match ?? {}, "bodyHas"),
  });
  const [direction, setDirection] = createSignal<(typeof DIRECTIONS)[number]>(line?.direction ?? "auto");
  const [userText, setUserText] = createSignal(line?.userText ?? "");
  const [enabled, setEnabled] = createSignal(line?.enabled ?? true);
  const isEmpty = (): boolean => CONDITIONS.every((of) => texts()[of].trim() === "");
  const submit = async (): Promise<void> => {
    setTried(true);
    if (!NAME.test(name()) || isEmpty() || statusOf(texts().status) === undefined) return;
    const chosen = direction();
    const done = await action.run(async () => {
      const body = {
        name: name(),
        match: matchOf(texts()),
        direction: chosen === "auto" ? null : chosen,
        userText: userText().trim() === "" ? null : userText().trim(),
        enabled: enabled(),
      };
      queryClient.setQueryData(keys.adminGuardrails, await call("saveGuardrail", { body }));
      toast(t("guard.saved", { name: name() }));
    });
    if (done) props.onDone();
  };
  return (
    <FormFrame
      save={t("save")}
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void submit()}
      onCancel={props.onDone}
    >
      <FormField
        label={t("guard.name")}
        help={t("guard.nameHint")}
        error={tried() && !NAME.test(name()) ? t("guard.nameInvalid") : undefined}
        required
      >
        {(field) => (
          <TextInput
            field={field}
            name="guardrail"
            mono
            max={40}
            disabled={line !== undefined}
            value={name()}
            onInput={setName}
          />
        )}
      </FormField>
      <For each={CONDITIONS}>
        {(of) => (
          <FormField
            label={t(`guard.when.${of}`)}
            help={hintOf(of)}
            error={
              of === "status" && tried() && statusOf(texts().status) === undefined
                ? t("guard.statusInvalid")
                : undefined
            }
          >
            {(field) => (
              <TextInput
                field={field}
                name={of}
                mono
                max={2000}
                value={texts()[of]}
                onInput={(value) => setTexts({ ...texts(), [of]: value })}
              />
            )}
          </FormField>
        )}
      </For>
      <Show when={tried() && isEmpty()}>
        <p role="alert" class="text-neg">
          {t("guard.conditionRequired")}
        </p>
      </Show>
      <FormField label={t("guard.direction")}>
        {(field) => (
          <select
            {...field}
            class="input"
            onChange={(event) => setDirection(DIRECTIONS.find((one) => one === event.currentTarget.value) ?? "auto")}
          >
            <For each={DIRECTIONS}>
              {(one) => (
                <option value={one} selected={direction() === one}>
                  {t(`guard.directions.${one}`)}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <FormField label={t("guard.userText")} help={t("guard.userTextHint")}>
        {(field) => <TextInput field={field} name="userText" max={300} value={userText()} onInput={setUserText} />}
      </FormField>
      <Check label={t("guard.enabled")} checked={enabled()} onChange={setEnabled} />
    </FormFrame>
  );
};
