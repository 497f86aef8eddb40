export const de = {
  explain: {
    unclassified: "Das Tool {{ tool }} ist nicht eingestuft und deshalb gesperrt.",
    plan_mode: "Im Planungsmodus sind nur lesende Tools erlaubt.",
    class_read: "Das Tool liest nur. Das ist ohne Freigabe erlaubt.",
    class_write_internal:
      "Das Tool schreibt an einen internen, wiederherstellbaren Ort. Das ist ohne Freigabe erlaubt.",
    class_write_external:
      "Das Tool schreibt in ein fremdes System. In Modus A (nach Risiko) braucht das eine Freigabe.",
    class_write_external_always:
      "Das Tool schreibt in ein fremdes System. In Modus B braucht jedes Schreiben nach außen eine Freigabe.",
    class_destructive: "Das Tool löscht oder lässt sich nicht rückgängig machen. Das ist gesperrt.",
    classified_allow: "Die Plattform-Administration hat dieses Tool bei der Einstufung ohne Freigabe erlaubt.",
    classified_require_approval: "Die Plattform-Administration verlangt für dieses Tool eine Freigabe.",
    classified_deny: "Die Plattform-Administration hat dieses Tool gesperrt.",
    destructive_raised:
      "Das Tool lässt sich nicht rückgängig machen. Eine Plattform-Regel lässt globale Freigebende entscheiden.",
    rule: "Die Regel „{{ label }}“ ({{ pattern }}, Version {{ version }}) auf Ebene {{ level }} gilt für dieses Tool.",
    rule_built_in: "Die eingebaute Regel „{{ pattern }}“ verlangt eine Freigabe.",
    rule_default: "Die Vorgabe auf Ebene {{ level }} gilt für dieses Tool.",
    rule_condition_true:
      "Die Regel „{{ label }}“ ({{ pattern }}) auf Ebene {{ level }} fragt, weil gilt: {{ condition }}",
    rule_condition_false:
      "Die Regel „{{ label }}“ ({{ pattern }}) auf Ebene {{ level }} fragt hier nicht, denn es gilt nicht: {{ condition }}",
    rule_condition_error:
      "Die Regel „{{ label }}“ ({{ pattern }}) auf Ebene {{ level }} fragt, weil sich ihre Bedingung nicht beantworten lässt ({{ why }}): {{ condition }}",
    rule_condition_open:
      "Die Regel „{{ label }}“ ({{ pattern }}) auf Ebene {{ level }} fragt, wenn gilt: {{ condition }}",
    input: "Die KI bittet um eine Eingabe. Der Text wird unverändert zum Ergebnis ihres Aufrufs.",
    unknown: "Regel {{ code }}",
  },
  conditionError: {
    missing_value: "ein Wert fehlt",
    type_mismatch: "ein Wert hat den falschen Typ",
    division_by_zero: "Division durch null",
    unsafe_number: "eine Zahl ist zu groß oder zu genau",
    list_too_long: "eine Liste ist zu lang",
    not_readable: "diese Version liest sie nicht",
    not_allowed: "nur Regeln, die fragen, dürfen eine haben",
    unknown: "{{ code }}",
  },
  why: {
    trace: "Womit die Bedingung beantwortet wurde",
    outcome: { true: "gilt", false: "gilt nicht", error: "ohne Antwort" },
    missing: "fehlt",
    unreachable: "nicht erreichbar",
    object: "ein Objekt",
    cut: "(+{{ n }} nicht gezeigt)",
    automatic: "Wäre von selbst gelaufen, wenn",
    silent: "Diese Regel hätte nicht gefragt, wenn",
    or: "oder",
    and: "und",
    chain: "Alle Stufen der Entscheidung",
  },
  ruleLevel: {
    platform: "Plattform",
    workspace: "Workspace",
    source: "Quelle",
    agent: "Agent",
    mode: "Chat-Modus",
    classification: "Einstufung",
  },
};
