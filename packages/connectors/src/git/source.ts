import { createHash } from "node:crypto";
import { z } from "zod";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject, JsonValue } from "@aiw/contract/tools";
import type { SourceAccess } from "../connector/index.ts";
import { GitFailure } from "./failure.ts";
import type { GitLimits } from "./limits.ts";
import { isRefName } from "./refs.ts";
import type { GitEgress, GitEgressSettings, Remote } from "./remote.ts";

const configSchema = z.strictObject({
  url: z.string().min(1).max(2000),
  /** Target branch; null = the one the server calls its default. */
  branch: z.string().min(1).max(200).nullish(),
  /** With a user name the secret goes as Basic, without one as Bearer (GIT-2). */
  username: z.string().min(1).max(200).nullish(),
});

export interface GitConfig {
  readonly url: string;
  readonly branch: string | null;
  readonly username: string | null;
}

const invalid = (field: string, code: "source_url_invalid" | "source_branch_missing" | "bad_request"): Problem =>
  new Problem(code, { fields: { [field]: code } });

/**
 * Checks what a person typed for a Git source and brings it into one spelling.
 * @throws Problem `source_url_invalid`, `source_host_not_allowed`, `bad_request`, with the field.
 */
export const readGitConfig = (input: JsonValue, egress: GitEgress): JsonObject => {
  const parsed = configSchema.safeParse(input);
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? "url");
    throw field === "url" ? invalid("url", "source_url_invalid") : invalid(field, "bad_request");
  }
  const url = repositoryUrl(parsed.data.url.trim());
  try {
    egress.check(url.href);
  } catch (cause) {
    throw new Problem("source_host_not_allowed", { fields: { url: "source_host_not_allowed" }, cause });
  }
  const branch = parsed.data.branch?.replace(/^refs\/heads\//, "") ?? null;
  if (branch !== null && !isRefName(`refs/heads/${branch}`)) throw invalid("branch", "bad_request");
  const username = parsed.data.username ?? null;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (username !== null && /[:\u0000-\u001f\u007f]/.test(username)) throw invalid("username", "bad_request");
  return { url: url.href, branch, username };
};

const repositoryUrl = (text: string): URL => {
  if (!URL.canParse(text)) throw invalid("url", "source_url_invalid");
  const url = new URL(text);
  const plain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if ((url.protocol !== "https:" && url.protocol !== "http:") || !plain) throw invalid("url", "source_url_invalid");
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (url.pathname.length < 2) throw invalid("url", "source_url_invalid");
  return url;
};

const storedConfig = z.object({
  url: z.string(),
  branch: z.string().nullish(),
  username: z.string().nullish(),
});

export const configOf = (source: SourceAccess): GitConfig => {
  const parsed = storedConfig.safeParse(source.config);
  if (!parsed.success) throw new GitFailure("source_url_invalid", "The settings of this source are not complete.");
  const { url, branch, username } = parsed.data;
  return { url, branch: branch ?? null, username: username ?? null };
};

/** Opens a source for one call. The secret lives in the returned object only. */
export const openRemote = (
  source: SourceAccess,
  signal: AbortSignal,
  settings: {
    readonly egress: GitEgress;
    readonly egressSettings: GitEgressSettings;
    readonly limits: GitLimits;
    readonly ca: string | undefined;
  },
): Remote => {
  const config = configOf(source);
  const secret = source.secret ?? "";
  if (!/^[\x21-\x7e]*$/.test(secret)) {
    throw new GitFailure("source_auth_failed", "The token has characters that no token has.");
  }
  const basic = Buffer.from(`${config.username ?? ""}:${secret}`).toString("base64");
  const bearer = secret === "" ? null : `Bearer ${secret}`;
  const hidden = [secret, basic, encodeURIComponent(secret)].filter((text) => text.length > 3);
  return {
    url: repositoryUrl(config.url),
    authorization: config.username === null ? bearer : `Basic ${basic}`,
    signal,
    ...settings,
    clean: (text) => cleaned(text, hidden),
  };
};

// oxlint-disable-next-line no-control-regex -- terminal sequences of the server are what is taken out
const TERMINAL = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const cleaned = (text: string, hidden: readonly string[]): string => {
  let out = text;
  for (const secret of hidden) out = out.replaceAll(secret, "[REDACTED]");
  return out.replace(TERMINAL, "").trim().slice(0, 1000);
};

/** Same key = the same repository asked with the same credentials. */
export const accessKey = (source: SourceAccess): string => {
  const config = configOf(source);
  return createHash("sha256")
    .update(JSON.stringify([source.id, config.url, config.branch, config.username, source.secret]))
    .digest("hex");
};
