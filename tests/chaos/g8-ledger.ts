import * as approvals from "@aiw/core/approvals";
import { sha256Hex } from "@aiw/policy/freeze";
import { readArguments } from "@aiw/policy/json";
import { startHostileServer } from "../kit/ledger/hostile.ts";
import { rawMember } from "../kit/ledger/raw-json.ts";
import { startLedger } from "../kit/ledger/server.ts";
import { connectServer } from "../kit/mcp.ts";
import { decide, requestsOf, topic, violations as brokenIn } from "../kit/runs.ts";
import { startWorld } from "../kit/world.ts";
import type { Harness } from "./harness.ts";
import { argumentText } from "./json-texts.ts";
import { randomOf, type Random } from "./random.ts";

/** Calls in one turn of the model. */
const TURN = 10;

const PUT = {
  name: "put",
  description: "Takes anything.",
  inputSchema: { type: "object", properties: { value: {} }, required: ["value"], additionalProperties: false },
};

/** Arguments of the ledger's own tools: a text and a number, spelt as they come. */
const entry = (random: Random): string => {
  const text = JSON.stringify(argumentText(random).slice(0, 400));
  return random.chance(0.5)
    ? `{"text":${text}}`
    : `{ "amount" : ${random.pick(["1.10", "1E2", "-0", "0.1"])}, "text" : ${text} }`;
};

/**
 * G8 end to end. A case is one call of a model with generated arguments: frozen, read by an approver through the API's own
 * verb, approved with the hash that was shown, executed; the bytes that arrived are those that were shown.
 */
export const g8Ledger: Harness = {
  id: "g8-ledger",
  longRuns: 300,
  run: async ({ seed, runs }) => {
    const violations: string[] = [];
    const counts = { calls: 0, refused: 0, executed: 0 };
    const ledger = await startLedger();
    const box = await startHostileServer({ pages: [[PUT]] });
    const world = await startWorld({ mcpPorts: [ledger.port, box.port] });
    try {
      const atLedger = await connectServer(world, { name: "ledger", url: ledger.url });
      const atBox = await connectServer(world, { name: "box", url: box.url });
      await atLedger.classify("blind", "write_external");
      await atBox.classify("put", "write_external");
      const random = randomOf(seed).fork("ledger");
      for (let from = 0; from < runs; from += TURN) {
        const wanted = Array.from({ length: Math.min(TURN, runs - from) }, (_, n) =>
          (from + n) % 3 === 0
            ? { name: atLedger.wireName("blind"), arguments: entry(random) }
            : { name: atBox.wireName("put"), arguments: `{ "value" : ${argumentText(random)} }` },
        );
        counts.calls += wanted.length;
        counts.refused += wanted.filter((call) => !readArguments(call.arguments).ok).length;
        const t = topic();
        world.script.push(t, { calls: wanted }, { text: "done" });
        const { runId } = await world.ask(t);
        await world.drive(runId);
        const before = { ledger: ledger.entries.length, box: box.calls.length };
        const shown: string[] = [];
        for (const request of await requestsOf(world, runId)) {
          const view = await approvals.detail(world.as("approver"), [world.workspaceId], request.id);
          if (sha256Hex(view.args) !== view.argsHash)
            violations.push(`${request.id}: the hash shown is not of the text shown`);
          shown.push(view.args);
          await decide(world, "approver", { id: request.id, snapshot_hash: view.snapshotHash }, "approved");
        }
        await world.drive(runId);
        const requests = await requestsOf(world, runId);
        counts.executed += requests.filter(({ status }) => status === "executed").length;
        const arrived = [
          ...ledger.entries.slice(before.ledger).map(({ argumentBytes }) => argumentBytes),
          ...box.calls.slice(before.box).map(({ body }) => rawMember(body, ["params", "arguments"]) ?? ""),
        ];
        if (JSON.stringify(arrived.toSorted()) !== JSON.stringify(shown.toSorted()))
          violations.push(`${runId}: other bytes arrived than were shown`);
        violations.push(...(await brokenIn(world, [runId])).filter((what) => !what.includes("I1")));
      }
      if (counts.executed !== counts.calls - counts.refused) violations.push("not every approved call was executed");
    } finally {
      await world.stop();
      await Promise.all([ledger.stop(), box.stop()]);
    }
    return { counts, violations };
  },
};
