import { ACTIVE_RUN_STATUSES as CONTRACT } from "@aiw/contract/runs";
import { expect, test } from "vitest";
import { ACTIVE_RUN_STATUSES } from "./states.ts";

test("RUN-1: the web app holds the same states for active as the contract", () => {
  expect([...ACTIVE_RUN_STATUSES].sort()).toEqual([...CONTRACT].sort());
});
