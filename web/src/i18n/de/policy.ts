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
    unknown: "Regel {{ code }}",
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
