import type { GatedTool } from "@aiw/contract/agents";
import Plus from "lucide-solid/icons/plus";
import { For, Index, type JSX, Show } from "solid-js";
import { agent as t } from "../../i18n/agent.ts";
import { FormField } from "../../ui/form-field.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { useRuleTools } from "../rules/rule-names.ts";
import { gateFault, MAX_GATES } from "./agent-model.ts";

const EXAMPLE = "param.amount > 50";

export interface AgentGatesProps {
  readonly workspaceId: string;
  readonly gates: readonly GatedTool[];
  readonly isAdmin: boolean;
  /** Whether saving was tried: only then what is missing is said. */
  readonly tried: boolean;
  /** What the server found wrong, in words, by path (`tools.0.condition`). */
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (gates: GatedTool[]) => void;
}

const Facts = (props: { readonly gate: GatedTool }): JSX.Element => (
  <p class="[overflow-wrap:anywhere]">
    <code class="mono">{props.gate.tool}</code>{" "}
    <Show when={props.gate.condition} fallback={<span class="text-ink-2">{t("tools.always")}</span>}>
      {(condition) => (
        <span class="text-ink-2">
          {t("tools.when")}{" "}
          <code class="mono">
            <VisibleText text={condition()} />
          </code>
        </span>
      )}
    </Show>
  </p>
);

/** Tools whose calls need a person whatever their classification allows, always or under a condition (AGT-3, POL-7). */
export const AgentGates = (props: AgentGatesProps): JSX.Element => {
  const tools = useRuleTools(() => props.workspaceId);
  const change = (index: number, part: Partial<GatedTool>): void =>
    props.onChange(props.gates.map((gate, at) => (at === index ? { ...gate, ...part } : gate)));
  const toolError = (index: number): string | undefined => {
    const fault = gateFault(props.gates, index);
    if (fault === "taken" || (fault === "missing" && props.tried)) return t(`tools.${fault}`);
    return props.faults[`tools.${index}.tool`];
  };
  /** What can be picked; what is set stays there also when the workspace no longer knows it. */
  const choices = (chosen: string): readonly string[] => {
    const ids = tools().map(({ id }) => id);
    return (chosen === "" || ids.includes(chosen) ? ids : [...ids, chosen]).toSorted();
  };
  return (
    <div class="flex flex-col gap-3">
      <div>
        <p class="font-medium">{t("tools.title")}</p>
        <p class="text-ink-2">{t("tools.hint")}</p>
      </div>
      <Index each={props.gates} fallback={<p class="text-ink-2">{t("tools.none")}</p>}>
        {(gate, index) => (
          <Show when={props.isAdmin} fallback={<Facts gate={gate()} />}>
            <section
              class="flex flex-col gap-3 rounded-control border border-line p-3"
              aria-label={gate().tool === "" ? t("tools.new") : gate().tool}
            >
              <FormField label={t("tools.tool")} error={toolError(index)} required>
                {(attrs) => (
                  <select
                    {...attrs}
                    class="input font-mono"
                    onChange={(event) => change(index, { tool: event.currentTarget.value })}
                  >
                    <option value="" selected={gate().tool === ""}>
                      {t("tools.pick")}
                    </option>
                    <For each={choices(gate().tool)}>
                      {(id) => (
                        <option value={id} selected={gate().tool === id}>
                          {id}
                        </option>
                      )}
                    </For>
                  </select>
                )}
              </FormField>
              <FormField
                label={t("tools.condition")}
                help={t("tools.conditionHint", { example: EXAMPLE })}
                error={props.faults[`tools.${index}.condition`]}
              >
                {(attrs) => (
                  <textarea
                    {...attrs}
                    class="input font-mono"
                    rows={2}
                    spellcheck={false}
                    value={gate().condition ?? ""}
                    onInput={(event) => change(index, { condition: event.currentTarget.value })}
                  />
                )}
              </FormField>
              <button
                type="button"
                class="btn btn-sm self-start"
                onClick={() => props.onChange(props.gates.filter((_, at) => at !== index))}
              >
                {t("tools.remove")}
              </button>
            </section>
          </Show>
        )}
      </Index>
      <Show when={props.isAdmin && props.gates.length < MAX_GATES}>
        <button
          type="button"
          class="btn self-start"
          onClick={() => props.onChange([...props.gates, { tool: "", condition: null }])}
        >
          <Plus size={16} aria-hidden="true" />
          {t("tools.add")}
        </button>
      </Show>
    </div>
  );
};
