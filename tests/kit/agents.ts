import { BUILT_IN_AGENT, type Agent, type AgentSettings } from "@aiw/contract/agents";
import * as agents from "@aiw/core/agents";
import type { Watched } from "./runs.ts";
import type { World } from "./world.ts";

/** Settings of the workspace's agent for runs that start from now on; what is not named is as built in. */
export const setAgent = async (world: World, settings: Partial<AgentSettings>): Promise<Agent> => {
  const owner = await world.member("owner");
  const { version } = await agents.get(owner);
  return agents.save(owner, { version, settings: { ...BUILT_IN_AGENT, ...settings } });
};

/** The runs that came from this one, oldest first. */
export const partsOf = async (world: Watched, runId: string): Promise<string[]> => {
  const rows = await world.admin.sql<{ id: string }[]>`select id from runs where parent_run_id = ${runId} order by id`;
  return rows.map((row) => row.id);
};

export interface Outcome {
  readonly text: string;
  /** The run it started; null while it waits its turn. */
  readonly runId: string | null;
  readonly waiting: boolean;
}

/** What the chat was told about staged requests, in order. */
export const outcomesIn = async (world: Watched, chatId: string): Promise<Outcome[]> => [
  ...(await world.admin.sql<
    Outcome[]
  >`select text, run_id as "runId", waiting from messages where chat_id = ${chatId} and role = 'system' order by ordinal`),
];
