import { z } from "zod";
import { id, instant } from "./ids.ts";

/** What a key may be used for (IDN-5). What its owner may not do, the key may not either. */
export const apiScope = z.enum(["approvals.view", "approvals.decide", "runs.view", "runs.start"]);
export type ApiScope = z.infer<typeof apiScope>;

const owner = z.object({ id, name: z.string(), displayName: z.string() });

/** A key as its owner and the workspace's admins see it; the key itself is in one answer alone. */
export const apiKey = z.object({
  id,
  name: z.string(),
  owner,
  scopes: z.array(apiScope),
  last4: z.string(),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: instant.nullable(),
  revokedAt: instant.nullable(),
  /** Its time is over, by the server's clock. */
  expired: z.boolean(),
});
export type ApiKey = z.infer<typeof apiKey>;

/** Longest life of a key, in days. */
const MAX_KEY_DAYS = 366;

const ws = z.object({ workspaceId: id });

export const KEY_ENDPOINTS = {
  listKeys: {
    method: "GET",
    path: "/api/workspaces/:workspaceId/keys",
    access: "member",
    status: 200,
    params: ws,
    response: z.object({ items: z.array(apiKey) }),
    summary: "Own API keys; for admins those of everybody",
  },
  createKey: {
    method: "POST",
    path: "/api/workspaces/:workspaceId/keys",
    access: "member",
    status: 201,
    params: ws,
    body: z.strictObject({
      name: z.string().trim().min(1).max(80),
      scopes: z.array(apiScope).min(1).max(10),
      expiresInDays: z.number().int().min(1).max(MAX_KEY_DAYS),
    }),
    response: z.object({ key: apiKey, token: z.string() }),
    summary: "Make an API key for oneself; the key is in this answer alone (IDN-5)",
  },
  revokeKey: {
    method: "DELETE",
    path: "/api/workspaces/:workspaceId/keys/:keyId",
    access: "member",
    status: 204,
    params: ws.extend({ keyId: id }),
    summary: "Revoke an API key (owner or workspace admin)",
  },
} as const;
