import { expect, test } from "vitest";
import { explain } from "./policy.ts";
import { setLocale } from "./locale.ts";

test("POL-2: a rule is worded with its name, pattern, version and level in both languages", () => {
  const explanation = {
    code: "rule",
    params: { label: "Mails", pattern: "Mail.send", version: 3, level: "workspace" },
  };
  setLocale("de");
  expect(explain(explanation)).toBe(
    "Die Regel „Mails“ (Mail.send, Version 3) auf Ebene Workspace gilt für dieses Tool.",
  );
  setLocale("en");
  expect(explain(explanation)).toBe("The rule “Mails” (Mail.send, version 3) at workspace level applies to this tool.");
});

test("POL-2: a code of a later version is named, not hidden", () => {
  setLocale("en");
  expect(explain({ code: "weather", params: {} })).toBe("Rule weather");
});
