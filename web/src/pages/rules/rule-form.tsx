import type { PolicyRuleView } from "@aiw/contract/policies";
import type { ApprovalLevel, StagingDecision } from "@aiw/contract/tools";
import { createSignal, createUniqueId, For, type JSX, onMount, Show } from "solid-js";
import { createStore } from "solid-js/store";
import { ApiProblem, asProblem } from "../../data/client.ts";
import { queryClient } from "../../data/query.ts";
import { t as words } from "../../i18n/index.ts";
import { rules as t } from "../../i18n/rules.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { toast } from "../../ui/toast.tsx";
import type { RuleDoor } from "./rule-door.ts";
import { bodyOf, draftOf, EMPTY, patternsOf, type RuleDraft, type RuleField, ruleFaults } from "./rule-model.ts";
import { useRuleSources, useRuleTools } from "./rule-names.ts";
import { RuleTrial } from "./rule-trial.tsx";

const EXAMPLE = "param.amount > 50 and not context.is_admin";
const LEVELS: readonly ApprovalLevel[] = ["workspace_admin", "global_approver"];
const NONE = "";

/** What each choice of "four eyes" stands for. */
const FOUR_EYES = { [NONE]: null, yes: true, no: false } as const;
type FourEyes = keyof typeof FOUR_EYES;
const isFourEyes = (value: string): value is FourEyes => Object.hasOwn(FOUR_EYES, value);
const fourEyesOf = (value: boolean | null): FourEyes => (value === null ? NONE : value ? "yes" : "no");

/** Writes or changes one rule; what is typed can be tried before it is saved (POL-7). */
export const RuleForm = (props: {
  readonly door: RuleDoor;
  readonly rule: PolicyRuleView | null;
  readonly onDone: () => void;
}): JSX.Element => {
  // The form works on what it was opened with; a newer state may arrive meanwhile and must not slip under the choice.
  const [base, setBase] = createSignal(props.rule);
  const [draft, replaceDraft] = createStore<RuleDraft>(props.rule === null ? { ...EMPTY } : draftOf(props.rule));
  const [busy, setBusy] = createSignal(false);
  const [conflict, setConflict] = createSignal(false);
  const [failure, setFailure] = createSignal<ApiProblem | null>(null);
  const tools = useRuleTools(() => props.door.workspaceId);
  const sources = useRuleSources(() => props.door.workspaceId);
  const patterns = createUniqueId();
  let form: HTMLFormElement | undefined;
  let first: HTMLInputElement | undefined;
  onMount(() => first?.focus());

  /** What was found wrong is about what stood there before. */
  const setDraft = (change: Partial<RuleDraft>): void => {
    setFailure(null);
    replaceDraft(change);
  };
  const faults = (): Readonly<Partial<Record<RuleField, string>>> => {
    const problem = failure();
    return problem === null ? {} : ruleFaults(problem);
  };
  const decisions = (): readonly StagingDecision[] =>
    props.door.workspaceId === null ? ["approve", "deny", "auto"] : ["approve", "deny"];

  const reload = async (): Promise<void> => {
    await queryClient.refetchQueries({ queryKey: props.door.queryKey });
    const { rule } = props;
    setBase(rule);
    if (rule !== null) replaceDraft(draftOf(rule));
    setConflict(true);
  };
  const showFailure = (error: unknown): void => {
    setFailure(asProblem(error));
    queueMicrotask(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  const save = async (): Promise<void> => {
    if (busy()) return;
    setBusy(true);
    setFailure(null);
    setConflict(false);
    try {
      await props.door.save(bodyOf(draft), base());
      toast(t("saved"));
      props.onDone();
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "conflict") await reload();
      else showFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="mt-3 flex flex-col gap-4 rounded-control border border-line bg-canvas p-3">
      <form
        ref={(element) => (form = element)}
        class="flex flex-col gap-3"
        noValidate
        aria-label={props.rule === null ? t("form.newTitle") : t("editOf", { label: props.rule.label })}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Show when={conflict()}>
          <p role="alert" class="rounded-control bg-warn-bg p-2 text-warn">
            {t("conflict")}
          </p>
        </Show>
        <div class="grid gap-3 md:grid-cols-2">
          <FormField label={t("form.pattern")} help={t("form.patternHint")} error={faults().pattern} required>
            {(attrs) => (
              <>
                <input
                  {...attrs}
                  ref={(element) => (first = element)}
                  class="input font-mono"
                  list={patterns}
                  maxlength={200}
                  autocomplete="off"
                  spellcheck={false}
                  value={draft.pattern}
                  onInput={(event) => setDraft({ pattern: event.currentTarget.value })}
                />
                <datalist id={patterns}>
                  <For each={patternsOf(tools().map((tool) => tool.id))}>{(pattern) => <option value={pattern} />}</For>
                </datalist>
              </>
            )}
          </FormField>
          <FormField label={t("form.decision")} error={faults().decision}>
            {(attrs) => (
              <select
                {...attrs}
                class="input"
                onChange={(event) =>
                  setDraft({ decision: decisions().find((one) => one === event.currentTarget.value) ?? "approve" })
                }
              >
                <For each={decisions()}>
                  {(decision) => (
                    <option value={decision} selected={draft.decision === decision}>
                      {t(`form.decisions.${decision}`)}
                    </option>
                  )}
                </For>
              </select>
            )}
          </FormField>
          <Show when={props.door.workspaceId !== null}>
            <FormField label={t("form.scope")} error={faults().sourceId}>
              {(attrs) => (
                <select
                  {...attrs}
                  class="input"
                  onChange={(event) => setDraft({ sourceId: event.currentTarget.value || null })}
                >
                  <option value={NONE} selected={draft.sourceId === null}>
                    {t("form.scopeAll")}
                  </option>
                  <For each={sources()}>
                    {(source) => (
                      <option value={source.id} selected={draft.sourceId === source.id}>
                        {t("at", { source: source.name })}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </FormField>
          </Show>
          <FormField label={t("form.label")} help={t("form.labelHint")} error={faults().label}>
            {(attrs) => (
              <input
                {...attrs}
                class="input"
                maxlength={120}
                value={draft.label}
                onInput={(event) => setDraft({ label: event.currentTarget.value })}
              />
            )}
          </FormField>
        </div>
        <Show when={draft.decision === "approve"}>
          <FormField
            label={t("form.condition")}
            help={t("form.conditionHint", { example: EXAMPLE })}
            error={faults().condition}
          >
            {(attrs) => (
              <textarea
                {...attrs}
                class="input font-mono"
                rows={2}
                spellcheck={false}
                value={draft.condition}
                onInput={(event) => setDraft({ condition: event.currentTarget.value })}
              />
            )}
          </FormField>
          <div class="grid gap-3 md:grid-cols-2">
            <FormField label={t("form.level")}>
              {(attrs) => (
                <select
                  {...attrs}
                  class="input"
                  onChange={(event) =>
                    setDraft({ approvalLevel: LEVELS.find((level) => level === event.currentTarget.value) ?? null })
                  }
                >
                  <option value={NONE} selected={draft.approvalLevel === null}>
                    {t("form.asClassified")}
                  </option>
                  <For each={LEVELS}>
                    {(level) => (
                      <option value={level} selected={draft.approvalLevel === level}>
                        {words(`level.${level}`)}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </FormField>
            <FormField label={t("form.fourEyes")}>
              {(attrs) => (
                <select
                  {...attrs}
                  class="input"
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    if (isFourEyes(value)) setDraft({ fourEyes: FOUR_EYES[value] });
                  }}
                >
                  <For each={[NONE, "yes", "no"] as const}>
                    {(choice) => (
                      <option value={choice} selected={fourEyesOf(draft.fourEyes) === choice}>
                        {choice === NONE
                          ? t("form.asClassified")
                          : choice === "yes"
                            ? t("form.fourEyesOn")
                            : t("form.fourEyesOff")}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </FormField>
          </div>
        </Show>
        <ErrorLine error={Object.keys(faults()).length > 0 ? null : failure()} />
        <div class="flex flex-wrap gap-2">
          <button type="submit" class="btn btn-primary" disabled={busy()}>
            {t("save")}
          </button>
          <button type="button" class="btn" onClick={() => props.onDone()}>
            {t("cancel")}
          </button>
        </div>
      </form>
      <RuleTrial
        door={props.door}
        draft={() => ({ ...bodyOf(draft), policyId: base()?.id ?? null })}
        onRuleFault={showFailure}
      />
    </div>
  );
};
