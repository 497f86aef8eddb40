import * as jobs from "@aiw/core/jobs";
import * as mcpServers from "@aiw/core/mcp-servers";
import * as sources from "@aiw/core/sources";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

type Names =
  | "listSources"
  | "createSource"
  | "listAvailableServers"
  | "connectServer"
  | "getSource"
  | "replaceSecret"
  | "removeSource"
  | "setSourceLabels"
  | "listCombinations"
  | "liftCombination"
  | "testSource"
  | "getJob";

export const sourceHandlers: Pick<Handlers, Names> = {
  listSources: async ({ ctx }) => ({ items: await sources.list(ctx) }),
  createSource: ({ ctx, body, deps }) => sources.create(ctx, body, deps),
  listAvailableServers: async ({ ctx }) => ({ items: await mcpServers.available(ctx) }),
  connectServer: ({ ctx, body, deps }) => sources.connectServer(ctx, body, deps.vault),
  getSource: ({ ctx, params }) => sources.get(ctx, params.sourceId),
  replaceSecret: ({ ctx, params, body, deps }) => sources.replaceSecret(ctx, params.sourceId, body, deps.vault),

  setSourceLabels: ({ ctx, params, body }) => sources.setLabels(ctx, params.sourceId, body),
  listCombinations: async ({ ctx }) => ({ items: await sources.listCombinations(ctx) }),
  liftCombination: ({ ctx, body }) => sources.liftCombination(ctx, body.workspaceId, body),

  removeSource: async ({ ctx, params, deps }) => {
    const { teamId, ring, jobs: removals } = await sources.remove(ctx, params.sourceId);
    for (const jobId of removals) await deps.ringIngest(jobId);
    await goOn(deps, { teamId, runIds: ring });
    return undefined;
  },

  testSource: async ({ ctx, params, deps }) => {
    const job = await sources.requestTest(ctx, params.sourceId);
    await deps.ringJob(job.id);
    return job;
  },

  getJob: ({ ctx, params }) => jobs.get(ctx, params.jobId),
};
