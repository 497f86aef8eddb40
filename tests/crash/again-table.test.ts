import { test } from "vitest";
import { stopAgain } from "../chaos/again.ts";

test("APR-19 I1 I7: a request that is found stale and prepared again survives a stop at every point of both: one successor, one push, and who wakes late changes nothing", () =>
  stopAgain(false));
