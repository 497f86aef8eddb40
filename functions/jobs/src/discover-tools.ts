import type { Discovery } from "@aiw/connectors/connector";
import { Problem } from "@aiw/contract/problem";
import * as jobs from "@aiw/core/jobs";
import * as mcpServers from "@aiw/core/mcp-servers";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import type { JobsDeps } from "./compose.ts";

const DISCOVERY_LIMIT_MS = 45_000;

/** Asks a registered server for its tools and stores what came out (MCP-1); of a removed one the open requests end. */
export async function discoverTools(deps: JobsDeps, job: jobs.ClaimedJob): Promise<void> {
  const { ctx } = deps;
  const server = await fp("discovery.load", () => mcpServers.forDiscovery(ctx, job));
  if (server === null) {
    await ringAll(deps, await fp("discovery.removal", () => mcpServers.recordRemoval(ctx, job)));
    return;
  }
  let found: Discovery;
  try {
    found = await fp("job.discover", () => ask(deps, server));
  } catch (error) {
    // What the server did is its report; anything else is a fault of ours, and the click can be repeated.
    if (error instanceof Problem) return fp("discovery.failure", () => mcpServers.recordFailure(ctx, job, error.code));
    ctx.log.error("a discovery failed by itself", { jobId: job.id, serverId: server.id, error });
    await fp("discovery.fail", () => jobs.fail(ctx, job, "internal"));
    return;
  }
  await ringAll(deps, await fp("discovery.record", () => mcpServers.recordDiscovery(ctx, job, found)));
}

async function ringAll(deps: JobsDeps, runs: Parameters<JobsDeps["ring"]>[0]): Promise<void> {
  await fp("discovery.ring", () => deps.ring(runs));
}

async function ask(deps: JobsDeps, server: mcpServers.ServerToAsk): Promise<Discovery> {
  const connector = deps.connectors.get("mcp");
  if (connector?.discover === undefined) throw new Error("there is no connector for mcp");
  const sealed = server.secret;
  const secret =
    sealed === null
      ? null
      : await fp("discovery.secret", () => deps.vault.open(sealed, mcpServers.secretContext(server.id)));
  const config = { url: server.url, server: server.name, purpose: server.purpose };
  return connector.discover(
    { id: server.id, name: server.name, kind: "mcp", config, secret },
    deadline(DISCOVERY_LIMIT_MS),
  );
}
