import type { GUARDRAIL_ENDPOINTS } from "@aiw/contract/guardrails";
import type { MODEL_ENDPOINTS } from "@aiw/contract/model-endpoints";
import * as guardrails from "@aiw/core/guardrails";
import * as models from "@aiw/core/models";
import type { Handlers } from "../http/call.ts";

type Names = keyof typeof MODEL_ENDPOINTS | keyof typeof GUARDRAIL_ENDPOINTS;

export const modelHandlers: Pick<Handlers, Names> = {
  listModels: ({ ctx }) => models.list(ctx),
  createModel: ({ ctx, body }) => models.create(ctx, body),
  updateModel: ({ ctx, params, body }) => models.update(ctx, params.modelId, body),
  removeModel: async ({ ctx, params }) => {
    await models.remove(ctx, params.modelId);
    return undefined;
  },
  testModel: async ({ ctx, params, deps }) => {
    const job = await models.requestTest(ctx, params.modelId);
    await deps.ringJob(job.id);
    return job;
  },
  setModelDefaults: ({ ctx, body }) => models.setDefaults(ctx, body),

  createModelEndpoint: ({ ctx, body, deps }) =>
    models.createEndpoint(ctx, body, { vault: deps.vault, guard: deps.modelGuard }),
  updateModelEndpoint: ({ ctx, params, body }) => models.updateEndpoint(ctx, params.endpointId, body),
  removeModelEndpoint: async ({ ctx, params }) => {
    await models.removeEndpoint(ctx, params.endpointId);
    return undefined;
  },
  importModels: async ({ ctx, params, deps }) => {
    const job = await models.requestImport(ctx, params.endpointId);
    await deps.ringJob(job.id);
    return job;
  },
  setSharedKey: ({ ctx, params, body, deps }) =>
    models.setKey(ctx, { endpointId: params.endpointId, teamId: null }, body.key, deps.vault),
  setTeamKey: ({ ctx, params, body, deps }) => models.setKey(ctx, params, body.key, deps.vault),

  listWorkspaceModels: ({ ctx }) => models.available(ctx),
  setWorkspaceModel: ({ ctx, body }) => models.choose(ctx, body.choice),

  listGuardrails: async ({ ctx }) => ({ items: await guardrails.list(ctx) }),
  saveGuardrail: async ({ ctx, body }) => ({ items: await guardrails.save(ctx, body) }),
  resetGuardrail: async ({ ctx, params }) => ({ items: await guardrails.reset(ctx, params.guardrailName) }),
};
