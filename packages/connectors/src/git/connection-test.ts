import type { JsonObject } from "@aiw/contract/tools";
import type { SourceAccess, TestReport, TestStage } from "../connector/index.ts";
import { GitFailure, type GitFailureCode } from "./failure.ts";
import { findTarget, listRefs } from "./refs.ts";
import type { Remote } from "./remote.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { configOf } from "./source.ts";

/**
 * Findings that do not fail the test, as codes for the screen (GIT-10):
 * `git_cannot_push` the credentials read, but do not write; `git_branch_rules_unchecked` Git itself tells nobody which
 * branches a token may write, so the server's own rules are to be set by hand; `git_plain_http` the token travels
 * readable; `git_no_agents_md` the repository has no conventions for the agent.
 */
export type GitWarning = "git_cannot_push" | "git_branch_rules_unchecked" | "git_plain_http" | "git_no_agents_md";

type Stage = TestStage["stage"];
const ORDER: readonly Stage[] = ["address", "reach", "login", "list", "read"];

/** At which stage a failure shows: all stages before it have passed. */
const STAGE_OF: Readonly<Partial<Record<GitFailureCode, Stage>>> = {
  source_url_invalid: "address",
  source_host_not_allowed: "address",
  source_unreachable: "reach",
  source_auth_failed: "login",
  source_not_found: "list",
  source_protocol: "list",
  source_empty: "list",
  source_branch_missing: "list",
};

/** Tries a source from the address to the files, stage by stage (SRC-2). Never throws for what a server does. */
export const testGitSource = async (
  source: SourceAccess,
  open: () => Remote,
  store: SnapshotStore,
): Promise<TestReport> => {
  const stages: TestStage[] = [];
  try {
    const remote = open();
    const url = remote.egress.check(remote.url.href);
    const branches = (await listRefs(remote, "refs/heads/")).length;
    for (const stage of ["address", "reach", "login"] as const) stages.push({ stage, ok: true });
    const target = await findTarget(remote, configOf(source).branch);
    const branch = target.ref.slice("refs/heads/".length);
    stages.push({ stage: "list", ok: true, facts: { branch, head: target.commit, branches } });
    const snapshot = await store.get(source.id, target.commit, target.ref, remote);
    const agents = snapshot.files.has("AGENTS.md");
    stages.push({
      stage: "read",
      ok: true,
      facts: filesFacts(snapshot.files.size, snapshot.files.has("README.md"), agents),
    });
    const pushable = await canPush(remote);
    const warnings: GitWarning[] = [
      ...(url.protocol === "http:" ? (["git_plain_http"] as const) : []),
      pushable ? "git_branch_rules_unchecked" : "git_cannot_push",
      ...(agents ? [] : (["git_no_agents_md"] as const)),
    ];
    return { ok: true, stages, warnings };
  } catch (error) {
    return { ok: false, stages: failedAt(stages, failureOf(error)), warnings: [] };
  }
};

const filesFacts = (files: number, readme: boolean, agents: boolean): JsonObject => ({ files, readme, agents });

const canPush = async (remote: Remote): Promise<boolean> => {
  try {
    await listRefs(remote, "refs/heads/ai/", "git-receive-pack");
    return true;
  } catch (error) {
    if (error instanceof GitFailure) return false;
    throw error;
  }
};

const failureOf = (error: unknown): GitFailure => {
  if (error instanceof GitFailure) return error;
  if (error instanceof Error && error.name === "EgressError") {
    return new GitFailure("source_host_not_allowed", "The host is not allowed.", { cause: error });
  }
  throw error;
};

/** The stages passed before the failing one, and that one. */
const failedAt = (passed: readonly TestStage[], failure: GitFailure): TestStage[] => {
  const earliest = STAGE_OF[failure.code] ?? "read";
  const stage = passed.some((done) => done.stage === earliest) ? nextAfter(passed) : earliest;
  const before = ORDER.slice(0, ORDER.indexOf(stage)).map(
    (name): TestStage => passed.find((done) => done.stage === name) ?? { stage: name, ok: true },
  );
  return [...before, { stage, ok: false, code: failure.code }];
};

const nextAfter = (passed: readonly TestStage[]): Stage => {
  const last = passed.at(-1)?.stage;
  return last === undefined ? "address" : (ORDER[ORDER.indexOf(last) + 1] ?? "read");
};
