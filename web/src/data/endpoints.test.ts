import { ENDPOINTS as CONTRACT } from "@aiw/contract/api";
import { expect, test } from "vitest";
import { ENDPOINTS } from "./endpoints.ts";

test("the web app knows method and path of every endpoint of the contract", () => {
  const fromContract = Object.fromEntries(
    Object.entries(CONTRACT).map(([name, e]) => [name, { method: e.method, path: e.path }]),
  );
  expect(ENDPOINTS).toEqual(fromContract);
});
