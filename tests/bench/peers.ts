import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BenchDatabase } from "./database.ts";

export interface Peer {
  /** Milliseconds of a run of so many calls. */
  readonly run: (turns: number) => Promise<number>;
  /** Milliseconds from the decision to the start of the approved call, which is the last of so many. */
  readonly resume: (turns: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

export interface Peers {
  readonly langgraph: Peer;
  readonly dbos: Peer;
  readonly close: () => Promise<void>;
}

interface PeerOptions {
  readonly url: string;
  readonly args: string;
  readonly result: string;
}

const FOLDER = join(import.meta.dirname, "peers");

/** What a user would pick instead, each in a database of its own on the same server. Installs them where they are missing. */
export const openPeers = async (bench: BenchDatabase, texts: Omit<PeerOptions, "url">): Promise<Peers> => {
  if (!existsSync(join(FOLDER, "node_modules"))) {
    const { status } = spawnSync("npm", ["ci"], { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0)
      throw new Error("What is compared with could not be installed; the package index has to be reachable.");
  }
  await bench.admin.sql`create database langgraph`;
  await bench.admin.sql`create database dbos`;
  const open = async (file: string, name: string, database: string): Promise<Peer> => {
    const module = (await import(join(FOLDER, file))) as Record<string, (options: PeerOptions) => Promise<Peer>>;
    const start = module[name];
    if (start === undefined) throw new Error(`${file} has no ${name}`);
    return start({ url: bench.url(database), ...texts });
  };
  const langgraph = await open("langgraph.mjs", "openLangGraph", "langgraph");
  const dbos = await open("dbos.mjs", "openDbos", "dbos");
  return {
    langgraph,
    dbos,
    close: async () => {
      await langgraph.close();
      await dbos.close();
    },
  };
};
