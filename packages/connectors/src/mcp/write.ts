import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { Drift } from "@aiw/contract/drift";
import type { InvalidReason } from "@aiw/contract/runs";
import type { JsonObject } from "@aiw/contract/tools";
import { fp } from "@aiw/platform/fault";
import type { CallContext, RecheckOutcome, StoredTool, WriteOutcome } from "../connector/index.ts";
import { instructionsHash, sortOut } from "./discover.ts";
import { McpFailure } from "./failure.ts";
import { FORM_VERSION, readForm, wireArguments, type McpForm } from "./form.ts";
import { listRaw } from "./list.ts";
import { checkOutput } from "./output.ts";
import { isPostponed, sessionOptions, type CallEdges } from "./read.ts";
import { cut, resultOf } from "./result.ts";
import { withSession, type CallResult, type Session } from "./session.ts";
import { configOf } from "./source.ts";

/**
 * Whether a frozen call still means what it meant, as far as this is known without asking the server: our own form, the same
 * address, the same pinned definition (APR-3). The server is asked right before the call itself.
 */
export const recheckForm = (text: string, tool: StoredTool, context: CallContext): RecheckOutcome => {
  const form = readForm(text);
  const config = configOf(context.source);
  if (form.url !== config.url || form.server !== config.server)
    return superseded("The address of the server changed since the proposal.", "server_address_changed");
  if (form.definitionHash !== tool.hash)
    return superseded("The definition of the tool changed since the proposal.", "definition_changed");
  return { ok: true };
};

const superseded = (text: string, code: Drift["code"]): RecheckOutcome => ({
  ok: false,
  reason: "superseded",
  text,
  drift: { code, facts: {} },
});

/**
 * Executes a frozen call, once, whatever happens on the way (MCP-2, F96, F97). In one connection the definition is listed
 * again and compared with the pinned one, then the call goes out with exactly the frozen bytes. `refused` = certain that
 * this call did nothing, or the tool itself says that it failed; `unknown` = the server may have acted.
 */
export const writeTool = async (
  call: AuthorisedCall,
  tool: StoredTool,
  context: CallContext,
  edges: CallEdges,
): Promise<WriteOutcome> => {
  if (call.formVersion !== FORM_VERSION)
    return refused("This version no longer executes this form of the proposal.", "upgraded");
  const checked = recheckForm(call.form ?? "", tool, context);
  if (!checked.ok) return refused(checked.text, checked.reason);
  const form = readForm(call.form ?? "");
  const options = { ...sessionOptions(context, edges), maxBytes: edges.limits.maxListBytes };
  const progress = { sent: false, status: null as number | null };
  try {
    return await withSession(context.source, options, async (session) => {
      const changed = await fp("mcp.relist", () => changeOf(session, form, edges));
      if (changed !== null) return refused(changed, "superseded");
      try {
        const answer = await fp("mcp.write", () =>
          session.callTool(form.tool, wireArguments(form, call.idempotencyKey)),
        );
        return outcomeOf(answer, tool, context, session, edges);
      } finally {
        Object.assign(progress, session.call);
      }
    });
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    return failedWrite(error, progress);
  }
};

/** What is different at the server from what was approved, in one sentence; null when nothing is. */
const changeOf = async (session: Session, form: McpForm, edges: CallEdges): Promise<string | null> => {
  if (
    form.instructionsHash !== null &&
    instructionsHash(session.instructions, edges.canonical) !== form.instructionsHash
  ) {
    return "The instructions of the server changed since the approval. Nothing was sent.";
  }
  const { tools } = await listRaw(session, edges.limits);
  const listed = sortOut(form.server, tools, { ...edges, taken: new Set() }).tools.find(
    (found) => found.wire["name"] === form.tool,
  );
  if (listed === undefined) return "The server does not offer the tool any more in a usable form. Nothing was sent.";
  if (listed.hash !== form.definitionHash)
    return "The server changed the definition of the tool since the approval. Nothing was sent.";
  return null;
};

const outcomeOf = (
  answer: CallResult,
  tool: StoredTool,
  context: CallContext,
  session: Session,
  edges: CallEdges,
): WriteOutcome => {
  if (isPostponed(answer))
    return {
      kind: "unknown",
      text: "The server took the call and wants to answer later; whether it took effect is not known.",
    };
  const output = checkOutput(tool.wire, answer, edges.limits);
  const facts: JsonObject = { server: configOf(context.source).server, output, listChanged: session.listChanged() };
  const bounds = { maxBytes: context.maxResultBytes, secret: context.source.secret };
  const result = resultOf(answer, bounds, facts);
  if (!result.ok)
    return { kind: "refused", result: { ...result, text: `${result.text} It may have done a part of its work.` } };
  if (output !== "mismatch") return { kind: "executed", result };
  const marked = cut(
    `[The call was carried out, but its answer does not have the form that the tool promises.]\n${result.text}`,
    bounds.maxBytes,
  );
  return { kind: "executed", result: { ...result, ...marked, truncated: result.truncated || marked.truncated } };
};

/** JSON-RPC errors by which a server says that it did not start: unreadable, unknown method, bad arguments, wrong version. */
const NOT_STARTED: ReadonlySet<number> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022, -32_042,
]);
/** Statuses of the 400s that do not say so: gave up waiting, conflict with something (perhaps with this call), closed. */
const UNCLEAR: ReadonlySet<number> = new Set([408, 409, 425, 499]);

const failedWrite = (
  failure: McpFailure,
  progress: { readonly sent: boolean; readonly status: number | null },
): WriteOutcome => {
  if (!progress.sent) return refused(`${failure.detail} Nothing was sent.`);
  const { status } = progress;
  if (status !== null && status >= 400 && status < 500 && !UNCLEAR.has(status)) return refused(failure.detail);
  if (failure.rpcCode !== undefined && NOT_STARTED.has(failure.rpcCode) && (status === null || status < 500))
    return refused(failure.detail);
  return { kind: "unknown", text: `${failure.detail} The call was sent; whether it took effect is not known.` };
};

const refused = (text: string, invalid?: InvalidReason): WriteOutcome => ({
  kind: "refused",
  result: { ok: false, text, truncated: false },
  ...(invalid === undefined ? {} : { invalid }),
});
