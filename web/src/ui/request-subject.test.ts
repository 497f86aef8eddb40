import { beforeEach, expect, test } from "vitest";
import { setLocale } from "../i18n/locale.ts";
import { requestLine, requestQuote, shortTarget, subjectOf } from "./request-subject.ts";

const title = "Push 2 files to ai/019a-3f2a of orders-service: Fix the discount";
const file = { path: "a", change: "added" as const, additions: 1, deletions: 0, diff: null, notes: [] };
const preview = {
  title,
  kind: "diff" as const,
  files: [file, file],
  fields: [
    { label: "branch", value: "ai/019a0000-0000-7000-8000-00000000000a-3f2a1c9" },
    { label: "message", value: "Fix the discount\n\nAI-Run: 1" },
  ],
};
const item = { title, sourceName: "orders-service", preview };
beforeEach(() => setLocale("de"));

test("APR-1: a request is worded in the reader's language from what is frozen, the model's title only as a quotation", () => {
  expect(requestLine(item)).toBe("2 Dateien nach ai/019a0000-0000-7000-8000-00000000000a-3f2a1c9 in orders-service");
  expect(requestQuote(item)).toBe("KI: „Fix the discount“");
  setLocale("en");
  expect(requestLine({ ...item, preview: { ...preview, files: [file] } }, true)).toBe(
    "1 file to ai/…-3f2a1c9 in orders-service",
  );
  expect(requestQuote(item)).toBe("AI: “Fix the discount”");
});

test("APR-1: what the server says stands before what the page could work out, so that list and detail agree", () => {
  const subject = { files: 1, target: "ai/x", title: null };
  expect(requestLine({ ...item, subject })).toBe("1 Datei nach ai/x in orders-service");
  expect(requestQuote({ ...item, subject })).toBeUndefined();
  expect(requestLine({ ...item, subject, sourceName: null })).toBe("1 Datei nach ai/x");
});

test("APR-1: a request without files, or whose preview says no target, keeps the server's title", () => {
  const general = { title: "Send a mail", kind: "arguments" as const };
  expect(requestLine({ title: "Send a mail", sourceName: null, preview: general })).toBe("Send a mail");
  expect(requestLine({ title, sourceName: null })).toBe(title);
  expect(subjectOf({ ...item, preview: { ...preview, fields: [] } })).toBeUndefined();
});

test("APR-1: a title full of placeholders is shown as it is", () => {
  const hostile = { files: 1, target: "ai/{{ source }}", title: "{{ target }} „approved“" };
  expect(requestLine({ ...item, subject: hostile })).toBe("1 Datei nach ai/{{ source }} in orders-service");
  expect(requestQuote({ ...item, subject: hostile })).toBe("KI: „{{ target }} „approved““");
});

test("long targets keep their first part and their end", () => {
  expect(shortTarget("ai/short")).toBe("ai/short");
  expect(shortTarget(`feature${"x".repeat(40)}`)).toBe("…xxxxxxxx");
});
