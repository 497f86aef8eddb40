import * as policies from "@aiw/core/policies";
import type { POLICY_ENDPOINTS } from "@aiw/contract/policies";
import type { Handlers } from "../http/call.ts";

export const policyHandlers: Pick<Handlers, keyof typeof POLICY_ENDPOINTS> = {
  listPolicies: async ({ ctx }) => ({ items: await policies.list(ctx) }),
  createPolicy: ({ ctx, body }) => policies.create(ctx, body),
  updatePolicy: ({ ctx, params, body: { version, ...draft } }) => policies.update(ctx, params.policyId, draft, version),
  removePolicy: async ({ ctx, params, query }) => {
    await policies.remove(ctx, params.policyId, query.version);
    return undefined;
  },
  tryPolicy: ({ ctx, body }) => policies.tryIt(ctx, body),
  setWriteStop: ({ ctx, body }) => policies.setWriteStop(ctx, body.stopped),
  getWriteStop: ({ ctx }) => policies.writeStop(ctx),

  listPlatformPolicies: async ({ ctx }) => ({ items: await policies.listPlatform(ctx) }),
  createPlatformPolicy: ({ ctx, body }) => policies.createPlatform(ctx, body),
  updatePlatformPolicy: ({ ctx, params, body: { version, ...draft } }) =>
    policies.updatePlatform(ctx, params.policyId, draft, version),
  removePlatformPolicy: async ({ ctx, params, query }) => {
    await policies.removePlatform(ctx, params.policyId, query.version);
    return undefined;
  },
  tryPlatformPolicy: ({ ctx, body }) => policies.tryPlatform(ctx, body),
  setPlatformWriteStop: ({ ctx, body }) => policies.setPlatformWriteStop(ctx, body.stopped),
  getPlatformWriteStop: ({ ctx }) => policies.platformWriteStop(ctx),
};
