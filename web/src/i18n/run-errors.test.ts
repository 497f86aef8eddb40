import { expect, test } from "vitest";
import { setLocale } from "./locale.ts";
import { runErrorDetail, runErrorWord } from "./run-errors.ts";

test("APR-6 OPS-9 why a run failed is said in the reader's language, with the words of the person who rejected", () => {
  const rejected = {
    errorCode: "request_rejected",
    errorText: "A person rejected the request. Reason: not on a Friday\nReason: really",
  };
  setLocale("de");
  expect(runErrorWord(rejected)).toContain("abgelehnt");
  expect(runErrorWord(rejected)).toContain("not on a Friday\nReason: really");
  expect(runErrorWord(rejected)).not.toContain("A person");
  expect(runErrorDetail(rejected)).toBeNull();
  expect(runErrorWord({ errorCode: "request_expired", errorText: "Nobody decided the request in time." })).toContain(
    "rechtzeitig",
  );
  setLocale("en");
  expect(runErrorWord(rejected)).toBe(rejected.errorText);
});

test("RUN-12 a code without words leaves what the run keeps", () => {
  const other = { errorCode: "of_the_future", errorText: "Something new." };
  expect([runErrorWord(other), runErrorDetail(other)]).toEqual([undefined, null]);
});
