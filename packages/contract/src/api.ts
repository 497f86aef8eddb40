import type { z } from "zod";
import { ADMIN_ENDPOINTS } from "./admin-endpoints.ts";
import { AGENT_ENDPOINTS } from "./agents.ts";
import { APPROVAL_ENDPOINTS } from "./approval-endpoints.ts";
import { CHAT_ENDPOINTS } from "./chat-endpoints.ts";
import { GUARDRAIL_ENDPOINTS } from "./guardrails.ts";
import { IDENTITY_ENDPOINTS } from "./identity-endpoints.ts";
import { type ApiScope, KEY_ENDPOINTS } from "./keys.ts";
import { MODEL_ENDPOINTS } from "./model-endpoints.ts";
import { OPERATION_ENDPOINTS } from "./operation.ts";
import { POLICY_ENDPOINTS } from "./policies.ts";
import { QUESTION_ENDPOINTS } from "./questions.ts";
import { SOURCE_ENDPOINTS } from "./source-endpoints.ts";
import { UPLOAD_ENDPOINTS } from "./uploads.ts";
import { WORKSPACE_ENDPOINTS } from "./workspace-endpoints.ts";

/**
 * Every HTTP endpoint: method, path, who, body, answer. functions/api binds each one to a verb and nothing else;
 * the access matrix, the typed client and the API description are made from this table.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call at all (the verb still checks rights on the record):
 * public = anybody; session = signed in; member = member of the workspace in the path, else 404;
 * admin = workspace admin there; platform = platform admin.
 */
export type Access = "public" | "session" | "member" | "admin" | "platform";

export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /** API keys with this scope may call it; absent: none may (IDN-5). */
  readonly scope?: ApiScope;
  readonly status: number;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Absent: no body (204). "stream": server-sent events. */
  readonly response?: z.ZodType | "stream";
  readonly summary: string;
}

export const ENDPOINTS = {
  ...IDENTITY_ENDPOINTS,
  ...WORKSPACE_ENDPOINTS,
  ...SOURCE_ENDPOINTS,
  ...UPLOAD_ENDPOINTS,
  ...CHAT_ENDPOINTS,
  ...APPROVAL_ENDPOINTS,
  ...ADMIN_ENDPOINTS,
  ...POLICY_ENDPOINTS,
  ...MODEL_ENDPOINTS,
  ...GUARDRAIL_ENDPOINTS,
  ...AGENT_ENDPOINTS,
  ...KEY_ENDPOINTS,
  ...OPERATION_ENDPOINTS,
  ...QUESTION_ENDPOINTS,
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
type Def<N extends EndpointName> = (typeof ENDPOINTS)[N];
type In<N extends EndpointName, K extends string> =
  Def<N> extends { readonly [P in K]: infer S extends z.ZodType } ? z.input<S> : undefined;
type Out<N extends EndpointName, K extends string> =
  Def<N> extends { readonly [P in K]: infer S extends z.ZodType } ? z.output<S> : undefined;

/** What a client passes for an endpoint. */
export type RequestOf<N extends EndpointName> = { params: In<N, "params">; query: In<N, "query">; body: In<N, "body"> };
/** What a handler gets after decoding. */
export type DecodedOf<N extends EndpointName> = {
  params: Out<N, "params">;
  query: Out<N, "query">;
  body: Out<N, "body">;
};
/** What the endpoint answers. */
export type ResponseOf<N extends EndpointName> =
  Def<N> extends { readonly response: infer S extends z.ZodType } ? z.output<S> : undefined;
