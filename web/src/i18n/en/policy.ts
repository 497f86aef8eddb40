import type { de } from "../de/policy.ts";

export const en: typeof de = {
  explain: {
    unclassified: "The tool {{ tool }} is not classified and therefore blocked.",
    plan_mode: "Plan mode allows reading tools only.",
    class_read: "The tool only reads. That is allowed without an approval.",
    class_write_internal: "The tool writes to an internal, recoverable place. That is allowed without an approval.",
    class_write_external: "The tool writes to another system. In mode A (by risk) this needs an approval.",
    class_write_external_always:
      "The tool writes to another system. In mode B every write to the outside needs an approval.",
    class_destructive: "The tool deletes or cannot be undone. That is blocked.",
    classified_allow: "A platform admin allowed this tool without an approval when classifying it.",
    classified_require_approval: "A platform admin requires an approval for this tool.",
    classified_deny: "A platform admin blocked this tool.",
    destructive_raised: "The tool cannot be undone. A platform rule lets global approvers decide.",
    rule: "The rule “{{ label }}” ({{ pattern }}, version {{ version }}) at {{ level }} level applies to this tool.",
    rule_built_in: "The built-in rule “{{ pattern }}” asks for an approval.",
    rule_default: "The default at {{ level }} level applies to this tool.",
    rule_condition_true: "The rule “{{ label }}” ({{ pattern }}) at {{ level }} level asks because: {{ condition }}",
    rule_condition_false:
      "The rule “{{ label }}” ({{ pattern }}) at {{ level }} level does not ask here, because this does not hold: {{ condition }}",
    rule_condition_error:
      "The rule “{{ label }}” ({{ pattern }}) at {{ level }} level asks because its condition has no answer ({{ why }}): {{ condition }}",
    rule_condition_open: "The rule “{{ label }}” ({{ pattern }}) at {{ level }} level asks if: {{ condition }}",
    unknown: "Rule {{ code }}",
  },
  conditionError: {
    missing_value: "a value is missing",
    type_mismatch: "a value has the wrong type",
    division_by_zero: "division by zero",
    unsafe_number: "a number is too large or too precise",
    list_too_long: "a list is too long",
    not_readable: "this version cannot read it",
    not_allowed: "only rules that ask may have one",
    unknown: "{{ code }}",
  },
  why: {
    trace: "What the condition was answered with",
    outcome: { true: "holds", false: "does not hold", error: "no answer" },
    missing: "missing",
    unreachable: "not reachable",
    object: "an object",
    cut: "(+{{ n }} not shown)",
    automatic: "Would have run by itself if",
    silent: "This rule would not have asked if",
    or: "or",
    and: "and",
    chain: "All levels of the decision",
  },
  ruleLevel: {
    platform: "platform",
    workspace: "workspace",
    source: "source",
    agent: "agent",
    mode: "chat mode",
    classification: "classification",
  },
};
