import type { ToolSettingsInput } from "@aiw/contract/mcp";
import type { PolicyDecision, RiskClass } from "@aiw/contract/tools";
import type { AdminTool } from "@aiw/contract/views";
import * as mcpServers from "@aiw/core/mcp-servers";
import * as sources from "@aiw/core/sources";
import * as tools from "@aiw/core/tools";
import type { JobsDeps } from "@aiw/function-jobs/compose";
import { runJob } from "@aiw/function-jobs/run-job";
import type { World } from "./world.ts";

/** A server as the product has it: registered, fetched, connected and tested by the same verbs and jobs a click starts. */
export interface ConnectedServer {
  readonly serverId: string;
  readonly sourceId: string;
  /** *Fetch tools* once more; the runs that were rung by it. */
  readonly fetchTools: () => Promise<string[]>;
  /** A tool as the admin sees it, by its name at the server. */
  readonly tool: (name: string) => Promise<AdminTool>;
  readonly classify: (
    name: string,
    riskClass: RiskClass,
    settings?: ToolSettingsInput,
    decision?: PolicyDecision,
  ) => Promise<AdminTool>;
  /** What the model calls it. */
  readonly wireName: (name: string) => string;
}

export const jobsOf = (world: World): JobsDeps & { readonly rung: string[] } => {
  const rung: string[] = [];
  return {
    ctx: { actor: { kind: "system" }, db: world.deps.db, log: world.deps.log, requestId: "test" },
    vault: world.deps.vault,
    connectors: world.deps.connectors,
    gateways: world.deps.gateways,
    ring: async (runs) => void rung.push(...runs.map(({ runId }) => runId)),
    hint: async () => undefined,
    rung,
  };
};

export interface ServerOptions {
  readonly name: string;
  readonly url: string;
  /** The platform's token, and the workspace's own. */
  readonly token?: string;
  readonly ownToken?: string;
}

export const registerServer = async (world: World, options: ServerOptions): Promise<string> => {
  const { server, job } = await mcpServers.register(
    world.as("admin"),
    { name: options.name, url: options.url, purpose: "general", token: options.token },
    { vault: world.deps.vault, egress: world.mcpEgress },
  );
  await runJob(jobsOf(world), job.id);
  return server.id;
};

export const connectServer = async (world: World, options: ServerOptions): Promise<ConnectedServer> => {
  const serverId = await registerServer(world, options);
  const owner = await world.member("owner");
  const source = await sources.connectServer(
    owner,
    { serverId, name: options.name, token: options.ownToken, confirmed: true },
    world.deps.vault,
  );
  await runJob(jobsOf(world), (await sources.requestTest(owner, source.id)).id);
  const tool = async (name: string): Promise<AdminTool> => {
    const found = (await tools.adminList(world.as("admin"))).find(({ id }) => id === `${options.name}.${name}`);
    if (found === undefined) throw new Error(`${name} is not known`);
    return found;
  };
  return {
    serverId,
    sourceId: source.id,
    fetchTools: async () => {
      const jobs = jobsOf(world);
      await runJob(jobs, (await mcpServers.requestDiscovery(world.as("admin"), serverId)).id);
      return jobs.rung;
    },
    tool,
    classify: async (name, riskClass, settings, decision) => {
      const { id, version, definitionHash, level, fourEyes } = await tool(name);
      return tools.classify(world.as("admin"), id, {
        version,
        definitionHash,
        riskClass,
        decision: decision ?? null,
        level,
        fourEyes,
        settings,
      });
    },
    wireName: (name) => `${options.name}__${name}`,
  };
};
