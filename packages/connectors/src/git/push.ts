import { fp } from "@aiw/platform/fault";
import { failOnStatus, type Advertisement } from "./advertisement.ts";
import { GitFailure } from "./failure.ts";
import type { GitObject } from "./objects.ts";
import { encodePack } from "./pack-writer.ts";
import { FLUSH, line, packets, sideBands, textOf, type SideBands } from "./pkt-line.ts";
import { exchange, type Remote } from "./transport.ts";

const ABSENT = "0".repeat(40);

export type PushOutcome =
  | { readonly kind: "done" }
  /** The server said no; `reason` is its own text, cleaned, untrusted. */
  | { readonly kind: "declined"; readonly reason: string }
  /** It may or may not have happened. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Creates a branch that must not exist yet: the old value sent is zero, so that the server itself refuses when somebody
 * was faster (F25). Sends only the new objects. Nothing is ever forced.
 * @throws GitFailure when certainly nothing reached the server, or when it refused the request as a whole.
 */
export const createBranch = async (
  remote: Remote,
  server: Advertisement,
  branch: string,
  commit: string,
  objects: readonly GitObject[],
): Promise<PushOutcome> => {
  if (!branch.startsWith("refs/heads/ai/")) throw new GitFailure("source_read_only", "Only branches ai/ are written.");
  const known = ["report-status", "side-band-64k"].filter((word) => server.capabilities.has(word));
  if (known.length < 2) throw new GitFailure("source_protocol", "The Git server is too old to push to.");
  const command = line(`${ABSENT} ${commit} ${branch}\0 ${known.join(" ")} agent=git/2.40.0-ai-workspace`);
  const body = Buffer.concat([command, FLUSH, encodePack(objects)]);
  return fp("git.push", () => send(remote, server, branch, body));
};

const send = async (remote: Remote, server: Advertisement, branch: string, body: Buffer): Promise<PushOutcome> => {
  const url = new URL(`${server.base.href}/git-receive-pack`);
  const headers = {
    "content-type": "application/x-git-receive-pack-request",
    accept: "application/x-git-receive-pack-result",
  };
  try {
    const response = await exchange(remote, {
      url,
      method: "POST",
      headers,
      body,
      maxBytes: 1024 * 1024,
      repeatable: false,
    });
    if (response.status === 413) return { kind: "declined", reason: "The change is too large for the server (413)." };
    failOnStatus(response.status, "git-receive-pack");
    return outcome(remote, response.body, branch);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    // A clear no of the server is certain; what broke off after the connection stood is not (RUN-7).
    const certain = !error.sent || error.code === "source_auth_failed" || error.code === "source_read_only";
    if (certain) throw error;
    return { kind: "unknown", reason: error.detail };
  }
};

const outcome = (remote: Remote, bytes: Buffer, branch: string): PushOutcome => {
  const report = readReport(bytes);
  if (report === null) return { kind: "unknown", reason: "The server's answer to the push cannot be read." };
  const said = remote.clean([report.fatal ?? "", report.messages].join("\n"));
  for (const packet of report.lines) {
    if (packet === `ok ${branch}`) return { kind: "done" };
    if (packet.startsWith("unpack ") && packet !== "unpack ok") {
      return { kind: "declined", reason: reason(remote.clean(packet.slice(7)), said) };
    }
    if (packet.startsWith(`ng ${branch} `)) {
      return { kind: "declined", reason: reason(remote.clean(packet.slice(branch.length + 4)), said) };
    }
  }
  return { kind: "unknown", reason: reason("The server did not report what became of the push.", said) };
};

const reason = (status: string, said: string): string => (said === "" ? status : `${status}: ${said}`);

const readReport = (bytes: Buffer): (SideBands & { readonly lines: readonly string[] }) | null => {
  try {
    const bands = sideBands(packets(bytes));
    return { ...bands, lines: [...packets(bands.data)].map(textOf) };
  } catch (error) {
    if (error instanceof GitFailure) return null;
    throw error;
  }
};
