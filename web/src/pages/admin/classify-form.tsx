import type { ApprovalLevel, PolicyDecision, RiskClass } from "@aiw/contract/tools";
import type { AdminTool } from "@aiw/contract/views";
import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { createStore } from "solid-js/store";
import { ApiProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { admin as t } from "../../i18n/admin.ts";
import { t as words } from "../../i18n/index.ts";
import { mcp } from "../../i18n/mcp.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Hash } from "../../ui/hash.tsx";
import { JsonText } from "../../ui/json-tree.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import {
  changedFields,
  type Classification,
  classificationOf,
  DECISIONS,
  type Field,
  LEVELS,
  RISK_CLASSES,
} from "./classification.ts";
import { ToolReview } from "./tool-facts.tsx";
import { ToolSettingsFields } from "./tool-settings.tsx";
import { draftOf, isEdited, readSettings, type SettingsDraft } from "./tool-settings-model.ts";

const NONE = "";
const oneOf = <T extends string>(all: readonly T[], value: string): T | null =>
  all.find((entry) => entry === value) ?? null;

const riskWord = (risk: RiskClass | null): string => (risk === null ? t("tools.unclassified") : words(`risk.${risk}`));
const decisionWord = (decision: PolicyDecision | null): string =>
  decision === null ? t("tools.ofClass") : t(`tools.decisions.${decision}`);
const levelWord = (level: ApprovalLevel): string => t(`tools.levels.${level}`);

const LABEL = {
  riskClass: () => t("tools.riskClass"),
  decision: () => t("tools.decision"),
  level: () => t("tools.level"),
  fourEyes: () => words("fourEyes"),
} satisfies Record<Field, () => string>;

const valueWord = (field: Field, of: Classification): string => {
  switch (field) {
    case "riskClass":
      return riskWord(of.riskClass);
    case "decision":
      return decisionWord(of.decision);
    case "level":
      return levelWord(of.level);
    case "fourEyes":
      return of.fourEyes ? t("tools.yes") : t("tools.no");
  }
};

/** Which declarations the server refused, by their names there. */
const failedSettings = (failure: unknown): readonly string[] =>
  failure instanceof ApiProblem ? Object.keys(failure.fields).map((field) => field.replace(/^settings\./, "")) : [];

/** Old and new side by side before anything is saved. */
const Preview = (props: {
  readonly before: Classification;
  readonly after: Classification;
  /** How a server's tool is called was edited. */
  readonly calls: boolean;
}): JSX.Element => (
  <div>
    <p class="label">{t("tools.preview")}</p>
    <Show
      when={props.calls || changedFields(props.before, props.after).length > 0}
      fallback={<p class="text-ink-2">{t("tools.noChange")}</p>}
    >
      <ul>
        <For each={changedFields(props.before, props.after)}>
          {(field) => (
            <li>
              {LABEL[field]()}: <s class="text-ink-2">{valueWord(field, props.before)}</s> →{" "}
              <span class="font-medium">{valueWord(field, props.after)}</span>
            </li>
          )}
        </For>
        <Show when={props.calls}>
          <li>
            {mcp("settings.changed")}: <s class="text-ink-2">{mcp("settings.unedited")}</s> →{" "}
            <span class="font-medium">{mcp("settings.edited")}</span>
          </li>
        </Show>
      </ul>
    </Show>
  </div>
);

/**
 * Classifies one tool. What is saved names the version and the definition that were shown: if either changed meanwhile,
 * nothing is saved and the present state is shown (POL-4, POL-6).
 */
export const ClassifyForm = (props: {
  readonly tool: AdminTool;
  /** All tools, for the one that may be asked whether a write happened. */
  readonly tools: readonly AdminTool[];
  readonly onDone: () => void;
}): JSX.Element => {
  // The form works on what it was opened with; a newer state may arrive meanwhile and must not slip under the choice.
  const [base, setBase] = createSignal({
    version: props.tool.version,
    definitionHash: props.tool.definitionHash,
    before: classificationOf(props.tool),
    settings: props.tool.settings,
  });
  const [draft, setDraft] = createStore<Classification>({ ...base().before });
  const [calls, setCalls] = createStore<SettingsDraft>(draftOf(base().settings));
  const [tried, setTried] = createSignal(false);
  const callsEdited = (): boolean => props.tool.server !== null && isEdited(base().settings, calls);
  const isUnchanged = (): boolean => !callsEdited() && changedFields(base().before, draft).length === 0;
  const [busy, setBusy] = createSignal(false);
  const [conflict, setConflict] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  let first: HTMLSelectElement | undefined;
  onMount(() => first?.focus());

  const reload = async (): Promise<void> => {
    await queryClient.refetchQueries({ queryKey: keys.adminTools });
    const before = classificationOf(props.tool);
    const { version, definitionHash, settings } = props.tool;
    setBase({ version, definitionHash, before, settings });
    setDraft({ ...before });
    setCalls(draftOf(settings));
    setConflict(true);
  };
  const save = async (): Promise<void> => {
    if (busy() || isUnchanged()) return;
    setTried(true);
    const read = callsEdited() ? readSettings(calls) : null;
    if (read !== null && !read.ok) return;
    const settings = read === null ? {} : { settings: read.settings };
    setBusy(true);
    setFailure(null);
    setConflict(false);
    try {
      const { version, definitionHash } = base();
      await call("classifyTool", {
        params: { toolId: props.tool.id },
        body: { ...draft, ...settings, version, definitionHash },
      });
      await queryClient.invalidateQueries({ queryKey: keys.adminTools });
      void queryClient.invalidateQueries({ queryKey: ["ws"] });
      toast(t("tools.saved", { tool: props.tool.id }));
      props.onDone();
    } catch (error) {
      if (error instanceof ApiProblem && (error.code === "conflict" || error.code === "stale")) await reload();
      else setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="mt-3 flex flex-col gap-3 rounded-control border border-line bg-canvas p-3"
      aria-label={t("tools.editOf", { tool: props.tool.id })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Show when={conflict()}>
        <p role="alert" class="rounded-control bg-warn-bg p-2 text-warn">
          {t("tools.conflict")}
        </p>
      </Show>
      <ToolReview tool={props.tool} />
      <div>
        <p class="label">{t("tools.description")}</p>
        <p class="border-l-2 border-line pl-2 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
          <VisibleText text={props.tool.description} />
        </p>
      </div>
      <div class="grid gap-3 md:grid-cols-2">
        <FormField
          label={t("tools.riskClass")}
          help={draft.riskClass === null ? t("tools.denyHint") : t(`tools.riskHint.${draft.riskClass}`)}
        >
          {(attrs) => (
            <select
              {...attrs}
              ref={(element) => (first = element)}
              class="input"
              onChange={(event) => setDraft({ riskClass: oneOf(RISK_CLASSES, event.currentTarget.value) })}
            >
              <option value={NONE} selected={draft.riskClass === null}>
                {t("tools.unclassified")}
              </option>
              <For each={RISK_CLASSES}>
                {(risk) => (
                  <option value={risk} selected={draft.riskClass === risk}>
                    {words(`risk.${risk}`)}
                    {risk === props.tool.suggestedRiskClass
                      ? ` (${t("tools.suggestion", { riskClass: words(`risk.${risk}`) })})`
                      : ""}
                  </option>
                )}
              </For>
            </select>
          )}
        </FormField>
        <FormField label={t("tools.decision")} help={t("tools.decisionHint")}>
          {(attrs) => (
            <select
              {...attrs}
              class="input"
              onChange={(event) => setDraft({ decision: oneOf(DECISIONS, event.currentTarget.value) })}
            >
              <option value={NONE} selected={draft.decision === null}>
                {t("tools.decisionOfClass")}
              </option>
              <For each={DECISIONS}>
                {(decision) => (
                  <option value={decision} selected={draft.decision === decision}>
                    {t(`tools.decisions.${decision}`)}
                  </option>
                )}
              </For>
            </select>
          )}
        </FormField>
        <FormField label={t("tools.level")}>
          {(attrs) => (
            <select
              {...attrs}
              class="input"
              onChange={(event) => setDraft({ level: oneOf(LEVELS, event.currentTarget.value) ?? draft.level })}
            >
              <For each={LEVELS}>
                {(level) => (
                  <option value={level} selected={draft.level === level}>
                    {t(`tools.levels.${level}`)}
                  </option>
                )}
              </For>
            </select>
          )}
        </FormField>
        <label class="flex items-start gap-2 self-center">
          <input
            type="checkbox"
            class="mt-0.5 size-4 accent-accent"
            checked={draft.fourEyes}
            onChange={(event) => setDraft({ fourEyes: event.currentTarget.checked })}
          />
          {t("tools.fourEyes")}
        </label>
      </div>
      <details>
        <summary class="min-h-6">{t("tools.definition")}</summary>
        <p class="my-1 flex items-center gap-2 text-meta text-ink-2">
          {t("tools.definitionHash")} <Hash value={props.tool.definitionHash} digits={16} />
        </p>
        <JsonText text={props.tool.definition} />
      </details>
      <Show when={props.tool.server !== null}>
        <ToolSettingsFields
          tool={props.tool}
          tools={props.tools}
          draft={calls}
          change={(part) => setCalls(part)}
          tried={tried()}
        />
      </Show>
      <Preview before={base().before} after={draft} calls={callsEdited()} />
      <p class="text-meta text-ink-2">{t("tools.openRequests")}</p>
      <ErrorLine error={failure()} />
      <For each={failedSettings(failure())}>
        {(field) => (
          <p role="alert" class="text-neg">
            {mcp("settings.refused", { field })}
          </p>
        )}
      </For>
      <div class="flex flex-wrap gap-2">
        <button type="submit" class="btn btn-primary" disabled={busy() || isUnchanged()}>
          {t("tools.save")}
        </button>
        <button type="button" class="btn" onClick={() => props.onDone()}>
          {t("tools.close")}
        </button>
      </div>
    </form>
  );
};
