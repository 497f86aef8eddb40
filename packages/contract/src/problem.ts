import { z } from "zod";

/**
 * Every error the product shows, by stable code (SEC-5, RFC 9457). `status` is the HTTP status; `title` the English
 * sentence of last resort: the web app words the code in the reader's language.
 */
export const PROBLEMS = {
  // request
  bad_request: [400, "The request is not valid."],
  unknown_field: [400, "The request has a field that is not known here."],
  body_too_large: [413, "The request body is too large."],
  unsupported_media_type: [415, "The request body must be application/json."],
  not_found: [404, "There is nothing here for you."],
  method_not_allowed: [405, "This method is not supported here."],
  conflict: [409, "The request conflicts with the present state."],
  rate_limited: [429, "Too many requests. Try again later."],
  unavailable: [503, "The service cannot answer right now. Try again shortly."],
  internal: [500, "Something went wrong on our side."],
  // identity
  not_signed_in: [401, "Sign in first."],
  wrong_credentials: [401, "Name or password is wrong."],
  account_locked: [429, "Too many failed attempts. Try again in 15 minutes."],
  password_change_required: [403, "Set your own password first."],
  password_too_weak: [400, "The password needs at least 12 characters and must not contain the user name."],
  forbidden: [403, "You do not have the right to do this."],
  cross_site: [403, "The request came from another site."],
  last_platform_admin: [409, "The platform needs at least one active admin."],
  // workspaces, sources
  name_taken: [409, "This name is already used."],
  last_admin: [409, "A workspace needs at least one admin."],
  no_tested_source: [409, "Connect a source and test it first."],
  confirmation_required: [400, "Confirm that all members may see the data of this source."],
  source_url_invalid: [400, "The address of the repository is not valid."],
  source_host_not_allowed: [400, "This host is not on the list of allowed hosts."],
  source_unreachable: [422, "The server cannot be reached."],
  source_auth_failed: [422, "The server refused the credentials."],
  source_not_found: [422, "There is no such repository on the server."],
  source_empty: [422, "The repository is empty."],
  source_branch_missing: [422, "The repository does not have this branch."],
  source_too_large: [422, "The repository is too large."],
  source_protocol: [422, "The server did not answer as a Git server."],
  source_read_only: [422, "The credentials cannot write."],
  mcp_protocol: [422, "The server did not answer as an MCP server."],
  mcp_version: [422, "The server speaks only a newer version of MCP."],
  dangerous_combination: [
    409,
    "This workspace combines confidential sources with untrusted content, so tools that write to the outside cannot be connected.",
  ],
  mcp_server_connected: [409, "This server is already connected to the workspace."],
  // uploads
  uploads_not_connected: [409, "Nobody has connected uploads to this workspace."],
  uploads_connected: [409, "Uploads are already connected to this workspace."],
  upload_type: [400, "Only CSV, TSV and Parquet files can be uploaded."],
  upload_too_large: [413, "The file is larger than one upload may be."],
  upload_quota: [409, "There is not enough room left for this file."],
  upload_not_waiting: [409, "This upload is not waiting for its file any more."],
  // models
  gateway_url_invalid: [400, "The address of the gateway is not valid."],
  gateway_host_not_allowed: [400, "This host may not be reached as a gateway."],
  model_in_use: [409, "The model stands for a class."],
  model_not_active: [409, "The model is switched off."],
  // rules
  rule_pattern_unknown: [400, "There is no tool, action or group of this name."],
  rule_taken: [409, "There already is such a rule."],
  rule_only_tightens: [400, "Only a platform rule can relax another one."],
  condition_invalid: [400, "The condition cannot be read."],
  sample_invalid: [400, "The sample arguments are not valid."],
  // chats, runs
  message_conflict: [409, "This message id was used with other content."],
  idempotency_conflict: [409, "This idempotency key was used with other content."],
  run_not_cancellable: [409, "The run cannot be cancelled in its present state."],
  run_not_resumable: [409, "The run cannot be resumed in its present state."],
  run_not_reconcilable: [409, "There is nothing to reconcile."],
  chat_archived: [409, "The chat is archived."],
  bad_event_id: [400, "The event position is not valid."],
  // approvals (APR-4)
  decided: [409, "The request was already decided."],
  expired: [409, "The request has expired."],
  stale: [409, "The request changed since it was shown."],
  cancelled: [409, "The request was cancelled."],
  invalid: [409, "The request is no longer valid."],
  four_eyes: [403, "This action needs a second person."],
  approver_missing: [403, "You may not decide this request."],
  reason_required: [400, "A rejection needs a reason."],
  response_required: [400, "This request needs a response."],
  response_not_expected: [400, "This request takes no response."],
  seen_hash_required: [400, "Say which version of the request was shown."],
  not_renewable: [409, "This request cannot be requested again."],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export const problemCode = z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]);

/** RFC 9457 problem details as they go over the wire. */
export const problemDetails = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: problemCode,
  requestId: z.string(),
  /** Values the wording needs, such as who decided and when. Never secrets. */
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** Field errors of a form: path -> code of the fault. */
  fields: z.record(z.string(), z.string()).optional(),
});
export type ProblemDetails = z.infer<typeof problemDetails>;

export type ProblemParams = Record<string, string | number | boolean | null>;

/** A failure that a person may read. Anything else that is thrown becomes `internal` without details. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly params: ProblemParams | undefined;
  readonly fields: Record<string, string> | undefined;
  constructor(
    code: ProblemCode,
    options: { params?: ProblemParams; fields?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(PROBLEMS[code][1], { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.params = options.params;
    this.fields = options.fields;
  }
  get status(): number {
    return PROBLEMS[this.code][0];
  }
}
