import { Problem } from "@aiw/contract/problem";
import * as events from "@aiw/core/events";
import * as runs from "@aiw/core/runs";
import * as streams from "@aiw/core/streams";
import * as workspaces from "@aiw/core/workspaces";
import type { Handler } from "../http/call.ts";
import { streamHeaders } from "./client.ts";

/**
 * The events of a run from a position on (RUN-11). 204 without a body when the reader has everything of a run that is
 * over, so that a browser stops coming back (F87).
 */
export const openRunStream: Handler<"runEvents"> = async ({ ctx, params, query, deps, http }) => {
  const run = await runs.one(ctx, await workspaces.scopeOf(ctx), params.runId);
  // A browser that reconnects repeats its old address and adds the header: the header is newer.
  const after = readPosition(http.headers.get("last-event-id") ?? query.after);
  const position = await events.position(ctx.db, run.workspaceId, run.id);
  if (position === null) throw new Problem("not_found");
  if (after > position.lastSeq) throw new Problem("bad_event_id");
  if (streams.isOver(position.status) && after >= position.lastSeq) return new Response(null, { status: 204 });
  const reader = { sessionId: ctx.actor.sessionId, userId: ctx.actor.userId };
  const body = deps.hub.openRun({ runId: run.id, workspaceId: run.workspaceId, after }, reader);
  return new Response(body, { headers: streamHeaders() });
};

/** Hints for a person: what to fetch anew. */
export const openInboxStream: Handler<"inboxEvents"> = async ({ ctx, deps }) => {
  const { sessionId, userId, isGlobalApprover } = ctx.actor;
  const body = deps.hub.openInbox({ sessionId, userId, isGlobalApprover, workspaces: await workspaces.scopeOf(ctx) });
  return new Response(body, { headers: streamHeaders() });
};

/** A seq as it was sent: decimal digits and nothing else (F83). @throws Problem bad_event_id */
function readPosition(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  if (!/^(0|[1-9]\d{0,14})$/.test(text)) throw new Problem("bad_event_id");
  return Number(text);
}
