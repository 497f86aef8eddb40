import { lookup as systemLookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { isIP, Socket } from "node:net";
import type { LookupFunction } from "node:net";
import { classifyAddress } from "./address.ts";
import { EgressError } from "./egress-error.ts";
import { sendRequest } from "./egress-request.ts";
import type { SafeRequest, SafeResponse } from "./egress-request.ts";

export { EgressError } from "./egress-error.ts";
export { readBody } from "./egress-request.ts";
export type { SafeRequest, SafeResponse } from "./egress-request.ts";

export type ResolvedAddress = { address: string; family: number };

/** Name -> all its addresses. */
export type Resolver = (host: string) => Promise<readonly ResolvedAddress[]>;

export type EgressOptions = {
  /**
   * Hosts that may be reached. "host" allows https on port 443 at public addresses; "host:port" names a service
   * the admin vouches for, which may then live in the private network.
   */
  allowedHosts: readonly string[];
  /** Development only: plain http and loopback for hosts on the list. */
  allowLocal: boolean;
  /** Default is the system's resolver. */
  resolve?: Resolver;
};

/** The one way out of the product for connectors (SRC-3, SEC-8). */
export type Egress = {
  /** Checks scheme, user info, host and port of an address without touching the network. @throws EgressError */
  check(url: string): URL;
  /** For other protocols: resolves and checks once; connect to one of these addresses only. @throws EgressError */
  resolve(host: string, port: number): Promise<readonly ResolvedAddress[]>;
  /** The same as a `lookup` option of node sockets that connect to `port`. */
  lookup(port: number): LookupFunction;
  /** Agents whose every connection is checked when it is made, so that names cannot change between check and use. */
  agents(): { http: http.Agent; https: https.Agent };
  /** One HTTP request within bounds of time and size; never follows a redirect. @throws EgressError */
  request(request: SafeRequest): Promise<SafeResponse>;
  close(): void;
};

const HTTPS_PORT = 443;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": HTTPS_PORT };

type AllowedHost = { host: string; port: number | undefined };

/** @throws TypeError when an entry of the list is not host or host:port */
export function createEgress(options: EgressOptions): Egress {
  const allowed = options.allowedHosts.map(parseEntry);
  const resolver = options.resolve ?? resolveBySystem;
  const isExplicit = (host: string, port: number) =>
    allowed.some((entry) => entry.host === host && entry.port === port);
  const isLocalEntry = (host: string) =>
    options.allowLocal &&
    isLoopbackName(host) &&
    allowed.some((entry) => entry.host === host && entry.port === undefined);
  const isVouched = (host: string, port: number) => isExplicit(host, port) || isLocalEntry(host);
  const isNamed = (host: string) => allowed.some((entry) => entry.host === host && entry.port === undefined);
  const isListed = (host: string, port: number) => port === HTTPS_PORT && isNamed(host);

  const mayReach = (host: string, port: number, address: string): boolean => {
    const vouched = isVouched(host, port);
    switch (classifyAddress(address)) {
      case "public":
        return vouched || isListed(host, port);
      case "private":
        return vouched;
      case "loopback":
        return vouched && (options.allowLocal || isLoopbackName(host));
      case "never":
        return false;
    }
  };

  /** Why a connection to these addresses of a host is refused, or undefined. */
  const refusal = (host: string, port: number, addresses: readonly ResolvedAddress[]): EgressError | undefined => {
    // One bad address condemns the name: which one a connection would take is not ours to choose.
    const good = addresses.length > 0 && addresses.every(({ address }) => mayReach(host, port, address));
    return good ? undefined : new EgressError("address_not_allowed", host);
  };

  const resolve = async (rawHost: string, port: number): Promise<readonly ResolvedAddress[]> => {
    const host = normalizeHost(rawHost);
    if (!isVouched(host, port) && !isListed(host, port)) throw new EgressError("host_not_allowed", host);
    const family = isIP(host);
    const addresses = family > 0 ? [{ address: host, family }] : await resolveName(resolver, host);
    const refused = refusal(host, port, addresses);
    if (refused !== undefined) throw refused;
    return addresses;
  };

  // Sockets skip `lookup` for literal addresses, therefore the guard sits where an agent makes its connections.
  const guard = <A extends http.Agent>(agent: A): A => {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (target) => {
      const host = normalizeHost(target.host ?? "");
      const port = Number(target.port);
      const family = isIP(host);
      const refused = family > 0 ? refusal(host, port, [{ address: host, family }]) : undefined;
      if (refused !== undefined) return new Socket().destroy(refused);
      const socket = connect({ ...target, lookup: lookupWith(resolve, port) });
      // A request that is aborted while its answer lies read to the end but untaken destroys its socket with an error after
      // node took its own listener away; without one the process would die of it.
      socket?.on("error", () => undefined);
      return socket;
    };
    return agent;
  };

  const check = (text: string): URL => {
    const url = parseUrl(text);
    const scheme = DEFAULT_PORTS[url.protocol];
    if (scheme === undefined) throw new EgressError("scheme_not_allowed", url.hostname);
    if (url.username !== "" || url.password !== "") throw new EgressError("userinfo_not_allowed", url.hostname);
    const host = normalizeHost(url.hostname);
    const port = url.port === "" ? scheme : Number(url.port);
    const plain = url.protocol === "http:";
    if (plain && !options.allowLocal) throw new EgressError("scheme_not_allowed", host);
    if ((plain || !isListed(host, port)) && !isVouched(host, port)) {
      throw new EgressError(plain && isNamed(host) ? "scheme_not_allowed" : "host_not_allowed", host);
    }
    if (isIP(host) > 0 && !mayReach(host, port, host)) throw new EgressError("address_not_allowed", host);
    return url;
  };

  const agents = {
    http: guard(new http.Agent({ keepAlive: true, maxSockets: 32 })),
    https: guard(new https.Agent({ keepAlive: true, maxSockets: 32 })),
  };
  return {
    check,
    resolve,
    lookup: (port) => lookupWith(resolve, port),
    agents: () => agents,
    request: (request) => {
      const url = check(request.url);
      return sendRequest(url, url.protocol === "http:" ? agents.http : agents.https, request);
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/**
 * The way out to one model gateway. Its address is a platform admin's configuration, which is enough for https on port 443 at
 * public addresses; everything else (an own port, the private network) has to be on the list as well (SRC-3).
 * @throws EgressError when the address is no URL
 */
export function createModelEgress(url: string, options: Omit<EgressOptions, "resolve">): Egress {
  const { hostname } = parseUrl(url);
  const own = hostname === "" ? [] : [hostname];
  return createEgress({ allowLocal: options.allowLocal, allowedHosts: [...own, ...options.allowedHosts] });
}

type Resolve = (host: string, port: number) => Promise<readonly ResolvedAddress[]>;

function lookupWith(resolve: Resolve, port: number): LookupFunction {
  return (hostname, options, callback) => {
    const settle = async (): Promise<void> => {
      const outcome = await outcomeOf(resolve(hostname, port), hostname);
      if (outcome instanceof Error) return callback(outcome, [], 0);
      answer(outcome, options, callback);
    };
    void settle();
  };
}

async function outcomeOf<T>(work: Promise<T>, host: string): Promise<T | Error> {
  try {
    return await work;
  } catch (error) {
    return error instanceof Error ? error : new EgressError("unreachable", host, error);
  }
}

function answer(
  addresses: readonly ResolvedAddress[],
  options: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  if (options.all === true) return callback(null, [...addresses]);
  const wanted = addresses.find(({ family }) => family === options.family) ?? addresses[0];
  if (wanted === undefined) return callback(new EgressError("address_not_allowed", ""), [], 0);
  callback(null, wanted.address, wanted.family);
}

async function resolveName(resolver: Resolver, host: string): Promise<readonly ResolvedAddress[]> {
  try {
    return await resolver(host);
  } catch {
    throw new EgressError("unreachable", host);
  }
}

function resolveBySystem(host: string): Promise<readonly ResolvedAddress[]> {
  return systemLookup(host, { all: true, order: "verbatim" });
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new EgressError("address_not_valid", "");
  }
}

/** Lower case, punycode and dotted IPv4 come from the URL parser; brackets and one trailing dot go. */
function normalizeHost(host: string): string {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return bare.toLowerCase().replace(/\.$/, "");
}

function parseEntry(entry: string): AllowedHost {
  const url = new URL(`https://${entry.trim()}/`);
  const hasPort = /:\d+$/.test(entry.trim());
  const isBare = url.username === "" && url.pathname === "/" && url.search === "" && url.hash === "";
  if (!isBare) throw new TypeError("an allowed host must be host or host:port");
  const port = url.port === "" ? HTTPS_PORT : Number(url.port);
  return { host: normalizeHost(url.hostname), port: hasPort ? port : undefined };
}

function isLoopbackName(host: string): boolean {
  return host === "localhost" || (isIP(host) > 0 && classifyAddress(host) === "loopback");
}
