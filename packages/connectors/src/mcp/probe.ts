import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import { fp } from "@aiw/platform/fault";
import { z } from "zod";
import type { CallContext, ProbeOutcome, StoredTool } from "../connector/index.ts";
import { sortOut } from "./discover.ts";
import { McpFailure } from "./failure.ts";
import { readForm } from "./form.ts";
import { isArray, isObject, member } from "./json.ts";
import { listRaw } from "./list.ts";
import { sessionOptions, type CallEdges } from "./read.ts";
import { resultOf } from "./result.ts";
import { withSession, type CallResult } from "./session.ts";
import { probeArguments, settingsOf } from "./settings.ts";

/**
 * Asks the server, by the reading tool that an admin declared, whether a write happened (RUN-7). Only a clear yes is a yes;
 * a no may still become a yes, because a server can act late.
 */
export const probeWrite = async (
  call: AuthorisedCall,
  tool: StoredTool,
  context: CallContext,
  edges: CallEdges,
): Promise<ProbeOutcome> => {
  const { probe } = settingsOf(tool.settings);
  if (probe === undefined) return cannotTell("There is no way declared to ask the server whether it happened.");
  if (call.form === null || call.idempotencyKey === null) return cannotTell("There is nothing to ask for.");
  const write = z
    .record(
      z.string(),
      z.custom<JsonValue>(() => true),
    )
    .parse(JSON.parse(readForm(call.form).arguments));
  const args = edges.canonical.text(probeArguments(probe, write, call.idempotencyKey));
  const { server } = readForm(call.form);
  const options = { ...sessionOptions(context, edges), maxBytes: edges.limits.maxListBytes };
  try {
    return await withSession(context.source, options, async (session) => {
      const { tools } = await fp("mcp.probe_list", () => listRaw(session, edges.limits));
      const listed = sortOut(server, tools, { ...edges, taken: new Set() }).tools.find(
        (found) => found.wire["name"] === probe.tool,
      );
      // A changed tool may answer, or do, something else than the one that was declared.
      if (listed?.hash !== probe.definitionHash)
        return cannotTell("The tool that would be asked changed since it was declared.");
      const answer = await fp("mcp.probe", () => session.callTool(probe.tool, args));
      if (answer.isError === true) return cannotTell("The server could not say whether it happened.");
      if (!meets(answer, probe.path, probe.equals, edges))
        return { kind: "not_applied", text: "The server does not show the effect." };
      const bounds = { maxBytes: context.maxResultBytes, secret: context.source.secret };
      return { kind: "applied", result: resultOf(answer, bounds, { probedWith: probe.tool }) };
    });
  } catch (error) {
    if (error instanceof McpFailure) return cannotTell(error.detail);
    throw error;
  }
};

const cannotTell = (text: string): ProbeOutcome => ({ kind: "cannot_tell", text });

const meets = (answer: CallResult, path: string, expected: JsonValue, edges: CallEdges): boolean => {
  const found = at(dataOf(answer), path);
  return found !== undefined && edges.canonical.text(found) === edges.canonical.text(expected);
};

/** The structured result, or the first text that is a JSON object. */
const dataOf = (answer: CallResult): JsonObject => {
  const { structuredContent } = answer;
  if (isObject(structuredContent)) return structuredContent;
  for (const part of answer.content ?? []) {
    const text = isObject(part) ? part["text"] : undefined;
    if (typeof text !== "string") continue;
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return value;
    } catch {
      continue;
    }
  }
  return {};
};

const at = (data: JsonObject, path: string): JsonValue | undefined => {
  let value: JsonValue | undefined = data;
  for (const step of path.split(".")) {
    if (value === undefined) return undefined;
    if (isArray(value)) value = /^\d{1,6}$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) ? member(value, step) : undefined;
  }
  return value;
};
