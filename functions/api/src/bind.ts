import { ENDPOINTS, type Endpoint, type EndpointName } from "@aiw/contract/api";
import { Problem } from "@aiw/contract/problem";
import { noteDenial, type Visitor } from "@aiw/core/identity";
import { type Ctx, withActor } from "@aiw/platform/ctx";
import type { Span } from "@aiw/platform/trace";
import type { ApiDeps } from "./deps.ts";
import { admit, mayCall, visitorOf } from "./http/access.ts";
import type { Call, Handlers, HttpEdge } from "./http/call.ts";
import { clearSession, sessionToken, setSession } from "./http/cookies.ts";
import { decodeBody, decodeParams, decodeQuery, decoded } from "./http/decode.ts";
import { deniedCall } from "./http/denied-call.ts";
import { requireSameOrigin } from "./http/origin.ts";

/** What is found out about a request on its way, for the lines of the log (SEC-9). */
export interface Known {
  workspaceId?: string;
  runId?: string;
}

export interface Incoming {
  readonly request: Request;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly address: string;
  readonly known: Known;
  readonly span: Span;
}

/**
 * One endpoint of the contract as a function from request to response, in this order: origin, who, right, path, query,
 * body, handler. Somebody without the right never learns whether the input was good; a refusal of rights is audited
 * (AUD-1).
 * @throws whatever the steps throw; the caller words it
 */
export function bind<N extends EndpointName>(
  name: N,
  handlers: Handlers,
  deps: ApiDeps,
): (incoming: Incoming) => Promise<Response> {
  const endpoint: Endpoint = ENDPOINTS[name];
  const { secureCookies, publicOrigin } = deps.settings;
  return async ({ request, params: rawParams, requestId, address, known, span }) => {
    // A page of another site cannot send this header, so a request that has it needs no proof of its origin; and its cookie does
    // not count (N15, N20).
    const authorization = endpoint.access === "public" ? null : request.headers.get("authorization");
    if (authorization === null) requireSameOrigin(request, publicOrigin);
    const token = authorization === null ? sessionToken(request, secureCookies) : undefined;
    const visitor = endpoint.access === "public" ? null : await visitorOf(deps, { token, authorization, address });
    if (visitor === null && endpoint.access !== "public") throw new Problem("not_signed_in");
    const base: Ctx<Visitor | null> = { actor: visitor, db: deps.db, log: deps.log.child({ requestId }), requestId };
    if (visitor !== null && !mayCall(visitor, endpoint)) {
      const refused = new Problem("forbidden");
      await noteDenial(withActor(base, visitor), refused, deniedCall(name, endpoint.path, rawParams));
      throw refused;
    }
    const admitted = await admit(base, { name, access: endpoint.access }, rawParams["workspaceId"]);
    const params = decodeParams(endpoint, rawParams);
    // A member of the workspace in the path, and a path in its form: from here on they may be named.
    if (admitted.actor !== null && "workspaceId" in admitted.actor) known.workspaceId = admitted.actor.workspaceId;
    if (rawParams["runId"] !== undefined) known.runId = rawParams["runId"].toLowerCase();
    span.set({ "aiw.workspace.id": known.workspaceId });
    const ctx = { ...admitted, log: admitted.log.child({ ...known }) };
    const query = decodeQuery(endpoint, new URL(request.url));
    const body = await decodeBody(endpoint, request);

    const cookies: string[] = [];
    const http: HttpEdge = {
      token,
      headers: request.headers,
      address,
      setSession: (fresh) => void cookies.push(setSession(fresh, secureCookies, deps.signIn.sessionMaxS)),
      clearSession: () => void cookies.push(clearSession(secureCookies)),
    };
    // `admit` gave the actor this endpoint's access asks for.
    const call = { ctx, ...decoded<N>(params, query, body), deps: span.on ? { ...deps, span } : deps, http } as Call<N>;
    const answer = await handlers[name](call).catch(async (error: unknown) => {
      if (visitor !== null)
        await noteDenial(withActor(ctx, visitor), error, deniedCall(name, endpoint.path, rawParams));
      throw error;
    });
    const response = respond(endpoint, answer);
    for (const cookie of cookies) response.headers.append("set-cookie", cookie);
    return response;
  };
}

function respond(endpoint: Endpoint, answer: unknown): Response {
  if (answer instanceof Response) return answer;
  if (endpoint.response === undefined) return new Response(null, { status: 204 });
  return new Response(JSON.stringify(answer), {
    status: endpoint.status,
    headers: { "content-type": "application/json" },
  });
}
