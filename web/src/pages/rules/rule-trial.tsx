import type { Trial } from "@aiw/contract/policies";
import type { WritePolicy } from "@aiw/contract/tools";
import type { MemberRole } from "@aiw/contract/views";
import { createSignal, For, type JSX, Show } from "solid-js";
import { createStore } from "solid-js/store";
import { ApiProblem } from "../../data/client.ts";
import { t as words } from "../../i18n/index.ts";
import { rules as t } from "../../i18n/rules.ts";
import { DecisionBadge } from "../../ui/decision-badge.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Why } from "../../ui/why.tsx";
import type { RuleDoor, Sample, TrialDraft } from "./rule-door.ts";
import { ruleFaults } from "./rule-model.ts";
import { useRuleSources, useRuleTools } from "./rule-names.ts";

const ROLES: readonly MemberRole[] = ["member", "approver", "admin"];
const MODES: readonly WritePolicy[] = ["risk_based", "confirm_external"];

const Result = (props: { readonly trial: Trial }): JSX.Element => (
  <div role="status" class="flex flex-col gap-2 rounded-control border border-line bg-surface p-3">
    <p class="flex flex-wrap items-center gap-2">
      <span class="label">{t("try.result")}</span>
      <DecisionBadge decision={props.trial.decision} />
      <Show when={props.trial.decision === "require_approval"}>
        <span class="text-meta text-ink-2">{t("decides", { level: words(`level.${props.trial.level}`) })}</span>
        <Show when={props.trial.fourEyes}>
          <span class="badge border-line-strong text-ink-2">{words("fourEyes")}</span>
        </Show>
      </Show>
    </p>
    <Why explanation={props.trial.explanation} open />
  </div>
);

/**
 * What would become of a call: the gate's own decision over arguments typed here, with the rule of the form around it where
 * there is one. Nothing is executed (POL-7).
 */
export const RuleTrial = (props: {
  readonly door: RuleDoor;
  /** Absent: the rules as they are saved. */
  readonly draft?: () => TrialDraft;
  /** Told when the rule of the form itself is at fault. */
  readonly onRuleFault?: (error: unknown) => void;
}): JSX.Element => {
  const [sample, setSample] = createStore<Sample>({
    toolId: "",
    args: "{}",
    role: "member",
    sourceId: null,
    writePolicy: "risk_based",
  });
  const [busy, setBusy] = createSignal(false);
  const [trial, setTrial] = createSignal<Trial>();
  const [failure, setFailure] = createSignal<unknown>(null);
  const tools = useRuleTools(() => props.door.workspaceId);
  const sources = useRuleSources(() => props.door.workspaceId);
  const argsFault = (): string | undefined => {
    const error = failure();
    if (!(error instanceof ApiProblem) || error.code !== "sample_invalid") return undefined;
    return t("try.argsInvalid", { code: error.fields["args"] ?? "json" });
  };
  const tryIt = async (): Promise<void> => {
    if (busy() || sample.toolId === "") return;
    setBusy(true);
    setFailure(null);
    setTrial(undefined);
    try {
      setTrial(await props.door.tryIt({ ...sample }, props.draft?.() ?? null));
    } catch (error) {
      const isRules = error instanceof ApiProblem && Object.keys(ruleFaults(error)).length > 0;
      if (isRules && props.onRuleFault !== undefined) props.onRuleFault(error);
      else setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div role="group" aria-label={t("try.title")} class="flex flex-col gap-3 border-t border-line pt-3">
      <div>
        <h3 class="font-medium">{t("try.title")}</h3>
        <p class="text-meta text-ink-2">
          {t("try.hint")} <Show when={props.draft}>{t("try.withDraft")}</Show>
        </p>
      </div>
      <form
        class="flex flex-col gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void tryIt();
        }}
      >
        <div class="grid gap-3 md:grid-cols-3">
          <FormField label={t("try.tool")} required>
            {(attrs) => (
              <select {...attrs} class="input" onChange={(event) => setSample({ toolId: event.currentTarget.value })}>
                <option value="" selected={sample.toolId === ""}>
                  {t("try.pick")}
                </option>
                <For each={tools()}>
                  {(tool) => (
                    <option value={tool.id} selected={sample.toolId === tool.id}>
                      {tool.id}
                    </option>
                  )}
                </For>
              </select>
            )}
          </FormField>
          <FormField label={t("try.role")}>
            {(attrs) => (
              <select
                {...attrs}
                class="input"
                onChange={(event) =>
                  setSample({ role: ROLES.find((role) => role === event.currentTarget.value) ?? "member" })
                }
              >
                <For each={ROLES}>
                  {(role) => (
                    <option value={role} selected={sample.role === role}>
                      {words(`role.${role}`)}
                    </option>
                  )}
                </For>
              </select>
            )}
          </FormField>
          <Show
            when={props.door.workspaceId === null}
            fallback={
              <FormField label={t("try.source")}>
                {(attrs) => (
                  <select
                    {...attrs}
                    class="input"
                    onChange={(event) => setSample({ sourceId: event.currentTarget.value || null })}
                  >
                    <option value="" selected={sample.sourceId === null}>
                      {words("none")}
                    </option>
                    <For each={sources()}>
                      {(source) => (
                        <option value={source.id} selected={sample.sourceId === source.id}>
                          {source.name}
                        </option>
                      )}
                    </For>
                  </select>
                )}
              </FormField>
            }
          >
            <FormField label={t("try.mode")}>
              {(attrs) => (
                <select
                  {...attrs}
                  class="input"
                  onChange={(event) =>
                    setSample({ writePolicy: MODES.find((mode) => mode === event.currentTarget.value) ?? "risk_based" })
                  }
                >
                  <For each={MODES}>
                    {(mode) => (
                      <option value={mode} selected={sample.writePolicy === mode}>
                        {words(`mode.${mode}`)}
                      </option>
                    )}
                  </For>
                </select>
              )}
            </FormField>
          </Show>
        </div>
        <FormField label={t("try.args")} error={argsFault()}>
          {(attrs) => (
            <textarea
              {...attrs}
              class="input font-mono"
              rows={3}
              spellcheck={false}
              value={sample.args}
              onInput={(event) => setSample({ args: event.currentTarget.value })}
            />
          )}
        </FormField>
        <ErrorLine error={argsFault() === undefined ? failure() : null} />
        <button type="submit" class="btn self-start" disabled={busy() || sample.toolId === ""}>
          {t("try.run")}
        </button>
      </form>
      <Show when={trial()}>{(found) => <Result trial={found()} />}</Show>
    </div>
  );
};
