import { Problem } from "@aiw/contract/problem";
import { type Egress, EgressError } from "@aiw/platform/egress";

/** The part of the network guard that looks at an address without using the network. */
export type AddressCheck = Pick<Egress, "check">;

/**
 * The address of a Git repository as it is stored: https (http only where local servers are allowed), host on the
 * allowlist, no user info, query or fragment (SRC-3).
 * @throws Problem source_url_invalid | source_host_not_allowed
 */
export function readAddress(text: string, egress: AddressCheck): string {
  const url = checked(text, egress);
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (url.search !== "" || url.hash !== "" || url.pathname === "/") throw invalid();
  return url.href;
}

function checked(text: string, egress: AddressCheck): URL {
  // Control characters and blanks are dropped silently by URL parsers; what is stored must be what was read.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text)) throw invalid();
  try {
    return egress.check(text);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code !== "host_not_allowed" && error.code !== "address_not_allowed") throw invalid();
    throw new Problem("source_host_not_allowed", { params: { host: error.host }, fields: { url: "host_not_allowed" } });
  }
}

const invalid = (): Problem => new Problem("source_url_invalid", { fields: { url: "invalid" } });
