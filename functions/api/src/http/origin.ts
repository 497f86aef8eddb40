import { Problem } from "@aiw/contract/problem";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses changes that a page of another site asks a browser for (SEC-3, N15), whatever the method and content type.
 * Browsers send at least one of the two headers with every such request; a client that sends neither is no browser and
 * carries no cookie of a person by itself.
 * @throws Problem cross_site
 */
export function requireSameOrigin(request: Request, publicOrigin: string | undefined): void {
  if (SAFE.has(request.method)) return;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") throw new Problem("cross_site");
  const origin = request.headers.get("origin");
  if (origin === null) return;
  if (!isOwn(origin, request, publicOrigin)) throw new Problem("cross_site");
}

function isOwn(origin: string, request: Request, publicOrigin: string | undefined): boolean {
  if (origin === publicOrigin) return true;
  if (publicOrigin?.startsWith("https://") === true) return false;
  // Without a configured address the product is served by itself: the page and the request name the same host.
  const host = request.headers.get("host") ?? new URL(request.url).host;
  return URL.canParse(origin) && new URL(origin).host === host && new URL(origin).origin === origin;
}
