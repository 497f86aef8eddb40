import type { Member } from "@aiw/contract/actors";
import type { DecodedOf, ENDPOINTS, EndpointName, ResponseOf } from "@aiw/contract/api";
import type { Visitor } from "@aiw/core/identity";
import type { Ctx } from "@aiw/platform/ctx";
import type { ApiDeps } from "../deps.ts";

/** A visitor inside the workspace of the path. */
export type MemberVisitor = Member & Visitor;

/** Who stands in the context of a handler, by the endpoint's access. */
type ActorOf<N extends EndpointName> = (typeof ENDPOINTS)[N]["access"] extends "public"
  ? Visitor | null
  : (typeof ENDPOINTS)[N]["access"] extends "member" | "admin"
    ? MemberVisitor
    : Visitor;

/** What a handler may know and do about HTTP. */
export interface HttpEdge {
  /** The token the browser came with. */
  readonly token: string | undefined;
  readonly headers: Headers;
  /** Network address of the client. */
  readonly address: string;
  /** Gives the browser this session. */
  setSession(token: string): void;
  clearSession(): void;
}

export interface Call<N extends EndpointName> {
  readonly ctx: Ctx<ActorOf<N>>;
  readonly params: DecodedOf<N>["params"];
  readonly query: DecodedOf<N>["query"];
  readonly body: DecodedOf<N>["body"];
  readonly deps: ApiDeps;
  readonly http: HttpEdge;
}

/** A stream answers by itself, everything else with the body the contract names. */
type AnswerOf<N extends EndpointName> = (typeof ENDPOINTS)[N] extends { readonly response: "stream" }
  ? Response
  : ResponseOf<N>;

/** Decodes nothing, decides nothing: calls one verb and returns what it answers. */
export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<AnswerOf<N>>;

/** One handler for every endpoint of the contract; a missing one does not compile. */
export type Handlers = { readonly [N in EndpointName]: Handler<N> };
