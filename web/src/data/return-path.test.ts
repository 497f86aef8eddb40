import { expect, test } from "vitest";
import { returnPath } from "./return-path.ts";

test("IDN-2: signing in leads back to the page asked for, never to another site", () => {
  expect(returnPath("/approvals/1?x=2")).toBe("/approvals/1?x=2");
  for (const bad of [
    undefined,
    "",
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "/login?return=/login",
    "/password",
  ]) {
    expect(returnPath(bad), String(bad)).toBe("/");
  }
});
