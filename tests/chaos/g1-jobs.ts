import * as mcpServers from "@aiw/core/mcp-servers";
import * as sources from "@aiw/core/sources";
import type { JobsDeps } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import { onPoint, setFaultPlan, wakeHung } from "@aiw/platform/fault";
import { jobsOf, registerServer } from "../kit/mcp.ts";
import { freezeAt } from "./play.ts";
import type { Stage } from "./stage.ts";

/** A job as a click begins it, what it works with, and how it must end. */
interface Flow {
  readonly name: string;
  readonly begin: (stage: Stage) => Promise<{ readonly jobId: string; readonly deps: JobsDeps }>;
  readonly ends: readonly string[];
}

/** Longer than a job is held for. */
const PAST_LEASE_S = 70;
const POINTS = /^(job|discovery|test)\./;

const withoutConnectors = (deps: JobsDeps): JobsDeps => ({ ...deps, connectors: new Map() });

let names = 0;
const freshServer = (stage: Stage, url: string): Promise<string> =>
  registerServer(stage.world, { name: `extra${(names += 1)}`, url, token: "canary-extra-server" });

const discovery = async (stage: Stage, serverId: string): Promise<string> =>
  (await mcpServers.requestDiscovery(stage.world.as("admin"), serverId)).id;
const sourceTest = async (stage: Stage): Promise<string> =>
  (await sources.requestTest(await stage.world.member("owner"), stage.world.sourceId)).id;

const FLOWS: readonly Flow[] = [
  {
    name: "tools are fetched",
    begin: async (stage) => ({ jobId: await discovery(stage, stage.server.serverId), deps: jobsOf(stage.world) }),
    // A fault while the server is asked is a fault of ours, and the click can be repeated.
    ends: ["done", "failed"],
  },
  {
    name: "a server that is not there",
    begin: async (stage) => {
      const serverId = await freshServer(stage, "http://127.0.0.1:9/mcp").catch(() =>
        freshServer(stage, stage.ledger.url),
      );
      return { jobId: await discovery(stage, serverId), deps: jobsOf(stage.world) };
    },
    ends: ["done", "failed"],
  },
  {
    name: "a removed server",
    begin: async (stage) => {
      const serverId = await freshServer(stage, stage.ledger.url);
      return { jobId: (await mcpServers.remove(stage.world.as("admin"), serverId)).id, deps: jobsOf(stage.world) };
    },
    ends: ["done"],
  },
  {
    name: "a fetch that fails by itself",
    begin: async (stage) => ({
      jobId: await discovery(stage, stage.server.serverId),
      deps: withoutConnectors(jobsOf(stage.world)),
    }),
    ends: ["failed"],
  },
  {
    name: "a source is tested",
    begin: async (stage) => ({ jobId: await sourceTest(stage), deps: jobsOf(stage.world) }),
    ends: ["done", "failed"],
  },
  {
    name: "a test that fails by itself",
    begin: async (stage) => ({ jobId: await sourceTest(stage), deps: withoutConnectors(jobsOf(stage.world)) }),
    ends: ["failed"],
  },
];

const jobIs = async ({ world }: Stage, jobId: string): Promise<{ status: string; attempt: number }> => {
  const [row] = await world.admin.sql<
    { status: string; attempt: number }[]
  >`select status, attempt from jobs where id = ${jobId}`;
  return row ?? { status: "gone", attempt: 0 };
};

/** As the queue does: the message comes again until the job has ended; a lease that is held is waited for. */
const finish = async (stage: Stage, jobId: string, deps: JobsDeps): Promise<void> => {
  for (let delivery = 0; delivery < 4; delivery += 1) {
    await runJob(deps, jobId).catch(() => undefined);
    if (["done", "failed"].includes((await jobIs(stage, jobId)).status)) return;
    await stage.world.shift(PAST_LEASE_S);
  }
};

/**
 * The jobs of G1: each is stopped at each of its points, thrown or standing still until another process has done it, and then
 * woken. It ends as it must, and who wakes late changes nothing of it.
 */
export const stopJobs = async (
  stage: Stage,
  most: number,
  dice: () => number,
): Promise<{ readonly executions: number; readonly points: ReadonlySet<string>; readonly violations: string[] }> => {
  const wrong: string[] = [];
  const points = new Set<string>();
  const cases: { flow: Flow; at: string; act: "throw" | "hang"; order: number }[] = [];
  for (const flow of FLOWS) {
    const passed = new Set<string>();
    const unlisten = onPoint((point) => void passed.add(point));
    const { jobId, deps } = await flow.begin(stage);
    await finish(stage, jobId, deps);
    unlisten();
    const { status } = await jobIs(stage, jobId);
    if (!flow.ends.includes(status)) wrong.push(`${flow.name} without a fault: ${status}`);
    for (const at of [...passed].filter((point) => POINTS.test(point))) {
      points.add(at.replace(/:\w+$/, ""));
      for (const act of ["throw", "hang"] as const) cases.push({ flow, at, act, order: dice() });
    }
  }
  const drawn = cases.toSorted((a, b) => a.order - b.order).slice(0, most);
  for (const { flow, at, act } of drawn) {
    const { jobId, deps } = await flow.begin(stage);
    let late: Promise<unknown> | undefined;
    if (act === "throw") {
      setFaultPlan({ rules: [{ at, act }] });
      await runJob(deps, jobId).catch(() => undefined);
      setFaultPlan(undefined);
    } else {
      late = (await freezeAt(at, 1, () => runJob(deps, jobId)))?.work;
      await stage.world.shift(PAST_LEASE_S);
    }
    await finish(stage, jobId, deps);
    const ended = await jobIs(stage, jobId);
    wakeHung();
    await late;
    const after = await jobIs(stage, jobId);
    if (!flow.ends.includes(ended.status)) wrong.push(`${flow.name}, ${act} at ${at}: ${ended.status}`);
    if (JSON.stringify(after) !== JSON.stringify(ended))
      wrong.push(`${flow.name}, woken at ${at}: I6 ${JSON.stringify(ended)} became ${JSON.stringify(after)}`);
  }
  const left = await stage.world.admin.sql`select 1 from jobs where status in ('queued', 'running')`;
  if (left.length > 0) wrong.push(`${left.length} jobs are left`);
  return { executions: drawn.length, points, violations: wrong };
};
