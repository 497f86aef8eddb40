import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import type { EngineLimits } from "@aiw/engine/deps";
import { startLedger, type Ledger, type LedgerEntry, type LedgerMode } from "../kit/ledger/server.ts";
import { connectServer, type ConnectedServer } from "../kit/mcp.ts";
import type { Watched } from "../kit/runs.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { startWorld, type World } from "../kit/world.ts";
import { scenarioOf } from "./scenarios.ts";

/** The world of G1, G2 and the live part of G5: a workspace with a Git repository and a ledger whose tools behave badly. */
export interface Stage {
  readonly world: World;
  readonly ledger: Ledger;
  readonly server: ConnectedServer;
  /** The world as the oracle looks at it. */
  readonly watched: Watched;
  readonly stop: () => Promise<void>;
}

/** A lease is never held up by a heartbeat here: what stops has stopped, and time is the test's (F12), so that it is no work. */
export const STAGE_LIMITS = { heartbeatS: 3600, pushS: 2, toolCallS: 2, maxRunWallS: 1e9 } as const;

/** Tools that take the key of their request and can be asked whether they acted. */
const SEARCHABLE: readonly LedgerMode[] = ["searchable", "drops", "drops_before", "fails_after", "late"];
const KEYED: readonly LedgerMode[] = ["honours_keys", "conflict"];

export const startStage = async (limits: Partial<EngineLimits> = {}, database?: TestDatabase): Promise<Stage> => {
  const token = "canary-ledger-7c1f20ab";
  const ledger = await startLedger({ token });
  const world = await startWorld({
    model,
    mcpPorts: [ledger.port],
    limits: { ...STAGE_LIMITS, ...limits },
    ...(database === undefined ? {} : { database }),
  });
  const server = await connectServer(world, { name: "ledger", url: ledger.url, token });
  await server.classify("find_entry", "read");
  const probe = { tool: "find_entry", arguments: { key: { $key: true as const } }, path: "found", equals: true };
  for (const tool of SEARCHABLE)
    await server.classify(tool, "write_external", { serverArguments: {}, idempotencyArgument: "key", probe });
  for (const tool of KEYED)
    await server.classify(tool, "write_external", { serverArguments: {}, idempotencyArgument: "key" });
  for (const tool of ["blind", "tool_error"]) await server.classify(tool, "write_external");
  ledger.setMode("late", "late", 150);
  return {
    world,
    ledger,
    server,
    watched: { ...world, ledger, canaries: [...world.canaries, token] },
    stop: async () => {
      await world.stop();
      await ledger.stop();
    },
  };
};

/** What every conversation says first: which scenario it plays, and a word of its own. */
export const opening = (scenario: string, topic: string): string => `play ${scenario} ${topic}`;

/** Calls by what the model has seen since the last message of a person; no state, so that a repeated turn is the same turn. */
const model = (request: BrainRequest): ScriptTurn => {
  const last = request.items.findLastIndex((item) => item.type === "message" && item.role === "user");
  const said = request.items[last];
  const [, name = "", topic = ""] = /^play (\S+) (\S+)$/.exec(said?.type === "message" ? said.text : "") ?? [];
  const scenario = scenarioOf(name);
  if (scenario === undefined) return { text: "Done." };
  let seen = request.items.slice(last).filter((item) => item.type === "function_call_output").length;
  for (const turn of scenario.turns(topic)) {
    if (seen === 0) return { text: "I go on.", calls: turn };
    seen -= turn.length;
  }
  return { text: `Done with ${topic}.` };
};

/** What reached the ledger, asked over HTTP, so that any process can look. */
export const entriesAt = async (url: string): Promise<readonly LedgerEntry[]> => {
  const answer = await fetch(new URL("/control", url));
  return ((await answer.json()) as { entries: LedgerEntry[] }).entries;
};
