import type { KEY_ENDPOINTS } from "@aiw/contract/keys";
import * as apiKeys from "@aiw/core/keys";
import type { Handlers } from "../http/call.ts";

export const keyHandlers: Pick<Handlers, keyof typeof KEY_ENDPOINTS> = {
  listKeys: async ({ ctx }) => ({ items: await apiKeys.list(ctx) }),
  createKey: ({ ctx, body }) => apiKeys.create(ctx, body),
  revokeKey: async ({ ctx, params }) => {
    await apiKeys.revoke(ctx, params.keyId);
    return undefined;
  },
};
