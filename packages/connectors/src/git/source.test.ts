import { createEgress } from "@aiw/platform/egress";
import { expect, test } from "vitest";
import { readGitConfig } from "./source.ts";

test("without leave for local addresses only https is taken (SRC-3)", () => {
  const egress = createEgress({ allowedHosts: ["git.example", "10.0.0.1:443"], allowLocal: false });
  expect(readGitConfig({ url: "https://git.example/team/app.git" }, egress)["url"]).toBe(
    "https://git.example/team/app.git",
  );
  for (const url of [
    "http://git.example/a.git",
    "https://git.example:8443/a.git",
    "https://evil.example/a.git",
    "https://git.example.evil.example/a.git",
  ]) {
    expect(() => readGitConfig({ url }, egress)).toThrow(expect.objectContaining({ code: "source_host_not_allowed" }));
  }
});
