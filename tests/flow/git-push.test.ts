import { chmodSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import http from "node:http";
import path from "node:path";
import { createGitConnector } from "@aiw/connectors/git";
import { runGit } from "@aiw/infra/local/git-command";
import { onPoint, setFaultPlan } from "@aiw/platform/fault";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  RUN_ID,
  callOf,
  commitFiles,
  formOf,
  pinned,
  prepare,
  prepared,
  refsOf,
  resolve,
  sourceOf,
  startGitFixture,
  type GitFixture,
} from "./git-fixture.ts";

let fixture: GitFixture;
beforeAll(async () => void (fixture = await startGitFixture()));
afterAll(() => fixture.stop());
afterEach(() => {
  setFaultPlan(undefined);
  Object.assign(fixture.server.switches, {
    dropAfterPush: false,
    dropBeforePush: false,
    delayMs: 0,
    refusePushWith: null,
  });
});

const FILES = { "src/a.txt": "one\ntwo\nthree\n", "src/b.txt": "b\n", "README.md": "# Read\n" };
const ARGS = { files: [{ path: "src/a.txt", replacements: [{ find: "two", replace: "zwei" }] }] };

const asSomebody = (directory: string): string[] => [
  "-C",
  directory,
  "-c",
  "user.name=Maintainer",
  "-c",
  "user.email=maintainer@orders.example",
];

/** The same repository behind a server that announces that it takes no thin packs. */
const announcingNoThin = async (url: string) => {
  const state = { announced: false };
  const forward = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const body: Buffer[] = [];
    for await (const part of request) body.push(part);
    const headers = new Headers();
    for (const name of ["authorization", "content-type", "accept", "git-protocol"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const method = request.method ?? "GET";
    const target = `${new URL(url).origin}${request.url ?? ""}`;
    const answer = await fetch(target, {
      method,
      headers,
      ...(method === "POST" ? { body: Buffer.concat(body) } : {}),
    });
    const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    const isPush = request.url?.endsWith("service=git-receive-pack") === true;
    // As long as the word it takes the place of, so that the lengths of the lines stay true.
    const changed = isPush ? text.replace(" ofs-delta", " no-thin  ") : text;
    state.announced ||= changed !== text;
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(changed, "latin1"));
  };
  const server = http.createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${new URL(url).pathname}`,
    get announced() {
      return state.announced;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

let count = 0;
const setUp = async () => {
  count += 1;
  const repository = fixture.repository(`push-${count}`, FILES);
  const connector = fixture.connector({ headTtlMs: 0 });
  const context = await pinned(connector, sourceOf(repository));
  const frozen = await prepared(connector, ARGS, context);
  const call = callOf("git.propose_change", {}, frozen.form);
  const branchIs = () => resolve(repository.directory, formOf(frozen).branch);
  return { repository, connector, context, frozen, call, form: formOf(frozen), branchIs };
};

describe("write", () => {
  test("pushes the very commit that was frozen, and native git finds it sound (GIT-8)", async () => {
    const { repository, connector, context, call, form } = await setUp();
    const outcome = await connector.write(call, context);
    expect(outcome).toMatchObject({
      kind: "executed",
      result: {
        ok: true,
        facts: { branch: form.branch.slice("refs/heads/".length), commit: form.commit, base: form.base },
      },
    });
    expect(resolve(repository.directory, form.branch)).toBe(form.commit);
    expect(refsOf(repository.directory)).toEqual([form.branch, "refs/heads/main"]);
    expect(resolve(repository.directory, "refs/heads/main")).toBe(form.base);
    runGit(["-C", repository.directory, "fsck", "--strict"]);
    expect(runGit(["-C", repository.directory, "diff", "--stat", "main", form.branch])).toContain("src/a.txt | 2 +-");
    expect(runGit(["-C", repository.directory, "log", "-1", "--format=%an <%ae> %P %T%n%B", form.branch])).toBe(
      `AI Workspace <noreply@ai-workspace.invalid> ${form.base} ${form.tree}\nChange something\n\nFor the test.\n\nAI-Workspace-Run: ${RUN_ID}\n\n`,
    );
  });

  test("a second time finds the branch and changes nothing, in another process too (RUN-7)", async () => {
    const { connector, context, call, branchIs, form } = await setUp();
    await connector.write(call, context);
    const pushes = () =>
      fixture.server.requests.filter((request) => request.startsWith("POST") && request.endsWith("receive-pack"))
        .length;
    const before = pushes();
    expect(await fixture.connector().write(call, context)).toMatchObject({
      kind: "executed",
      result: { text: expect.stringContaining("Already there") },
    });
    expect(pushes()).toBe(before);
    expect(branchIs()).toBe(form.commit);
  });

  test("twenty at once make one branch and each tells the truth (F25)", async () => {
    const { connector, context, call, branchIs, form } = await setUp();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => connector.write(call, context)));
    expect(outcomes.every((outcome) => outcome.kind === "executed")).toBe(true);
    expect(branchIs()).toBe(form.commit);
  });

  test("a branch with another commit is left alone (F25)", async () => {
    const { repository, connector, context, call, form, branchIs } = await setUp();
    runGit(["-C", repository.directory, "update-ref", form.branch, form.base]);
    expect(await connector.write(call, context)).toMatchObject({ kind: "refused", invalid: "stale" });
    expect(branchIs()).toBe(form.base);
  });

  test("a branch that appears between looking and pushing is not overwritten: the server itself refuses (F25)", async () => {
    const { repository, connector, context, call, form, branchIs } = await setUp();
    const stop = onPoint((point) => {
      if (point === "git.push:before") runGit(["-C", repository.directory, "update-ref", form.branch, form.base]);
    });
    const outcome = await connector.write(call, context);
    stop();
    expect(outcome).toMatchObject({ kind: "refused", invalid: "stale" });
    expect(branchIs()).toBe(form.base);
  });

  test("a hook that declines is a refusal with the server's own words, without escape sequences (F24)", async () => {
    const { repository, connector, context, call, branchIs } = await setUp();
    const hook = path.join(repository.directory, "hooks", "pre-receive");
    writeFileSync(hook, "#!/bin/sh\nprintf '\\033[31mcommits need a ticket\\033[0m\\n' >&2\nexit 1\n");
    chmodSync(hook, 0o755);
    const outcome = await connector.write(call, context);
    expect(outcome).toMatchObject({ kind: "refused", result: { ok: false } });
    const text = outcome.kind === "refused" ? outcome.result.text : "";
    expect(text).toContain("pre-receive hook declined");
    expect(text).toContain("commits need a ticket");
    expect(text).not.toContain("\u001b");
    expect(branchIs()).toBeNull();
  });

  test("a connection lost after the push was applied is unknown, and probe finds it (RUN-7)", async () => {
    const { connector, context, call, form, branchIs } = await setUp();
    // The switch is meant for the push alone, not for the look before it.
    const stop = onPoint((point) => void (fixture.server.switches.dropAfterPush ||= point === "git.push:before"));
    expect(await connector.write(call, context)).toMatchObject({ kind: "unknown" });
    stop();
    fixture.server.switches.dropAfterPush = false;
    expect(branchIs()).toBe(form.commit);
    expect(await connector.probe(call, context)).toMatchObject({
      kind: "applied",
      result: { facts: { commit: form.commit } },
    });
    expect(await connector.write(call, context)).toMatchObject({ kind: "executed" });
  });

  test("a connection lost before the push was applied is unknown, and probe does not find it (RUN-7)", async () => {
    const { connector, context, call, branchIs } = await setUp();
    const stop = onPoint((point) => void (fixture.server.switches.dropBeforePush ||= point === "git.push:before"));
    expect(await connector.write(call, context)).toMatchObject({ kind: "unknown" });
    stop();
    fixture.server.switches.dropBeforePush = false;
    expect(branchIs()).toBeNull();
    expect(await connector.probe(call, context)).toMatchObject({ kind: "not_applied" });
    expect(await connector.write(call, context)).toMatchObject({ kind: "executed" });
  });

  test("a deadline while the push is under way is unknown; before it, nothing was pushed (RUN-7)", async () => {
    const { connector, context, call } = await setUp();
    const timeout = new AbortController();
    const stop = onPoint((point) => {
      if (point !== "git.push:before") return;
      fixture.server.switches.delayMs = 500;
      setTimeout(() => timeout.abort(), 100);
    });
    expect(await connector.write(call, { ...context, signal: timeout.signal })).toMatchObject({ kind: "unknown" });
    stop();
    const late = await connector.write(call, { ...context, signal: AbortSignal.abort() });
    expect(late).toMatchObject({ kind: "refused", result: { text: expect.stringContaining("Nothing was pushed") } });
  });

  test.each([
    [403, "refused"],
    [401, "refused"],
    [404, "refused"],
    [413, "refused"],
    [502, "unknown"],
  ] as const)("status %i at the push itself is %s (RUN-7)", async (status, kind) => {
    const { connector, context, call, branchIs } = await setUp();
    const stop = onPoint((point) => {
      if (point === "git.push:before") fixture.server.switches.refusePushWith = status;
    });
    expect((await connector.write(call, context)).kind).toBe(kind);
    stop();
    expect(branchIs()).toBeNull();
  });

  test("a read-only token and an unreachable server are clear refusals (GIT-10)", async () => {
    const { connector, context, call } = await setUp();
    fixture.server.switches.refusePushWith = 403;
    const readOnly = await connector.write(call, context);
    expect(readOnly).toMatchObject({
      kind: "refused",
      result: { text: expect.stringContaining("does not allow this") },
    });
    const wrong = await connector.write(call, { ...context, source: { ...context.source, secret: "wrong-token" } });
    expect(wrong).toMatchObject({ kind: "refused", result: { text: expect.stringContaining("401") } });
  });

  test.each([false, true])(
    "only what the server lacks is sent, thin packs refused: %s (GIT-8)",
    async (refusesThin) => {
      const large = { ...FILES, "data.bin": randomBytes(2_000_000), "deep/er/file.txt": "x\n" };
      count += 1;
      const repository = fixture.repository(`push-${count}`, large);
      runGit(["-C", repository.directory, "config", "receive.maxInputSize", "20000"]);
      await using server = refusesThin ? await announcingNoThin(repository.url) : null;
      const url = server?.url ?? repository.url;
      const connector = createGitConnector({
        egress: { allowedHosts: [new URL(url).host], allowLocal: true },
        bucket: { put: async () => undefined, get: async () => null },
      });
      const source = sourceOf(repository, { config: { url, branch: null, username: null } });
      const context = await pinned(connector, source);
      const frozen = await prepared(connector, ARGS, context);
      commitFiles(repository.directory, { "src/b.txt": "moved\n" }, "Move on");
      const outcome = await connector.write(callOf("git.propose_change", {}, frozen.form), context);
      expect(outcome).toMatchObject({ kind: "executed" });
      expect(server?.announced ?? true).toBe(true);
      runGit(["-C", repository.directory, "fsck", "--strict"]);
    },
  );

  test("entries with odd names elsewhere stay what they are; names the library refuses make the repository read-only (N65)", async () => {
    for (const [name, kept] of [
      ["a\nb", true],
      ["tab\tname", true],
      ["back\\slash", false],
    ] as const) {
      count += 1;
      const repository = fixture.repository(`push-${count}`, FILES);
      const blob = runGit(["-C", repository.directory, "rev-parse", "main:src/b.txt"]).trim();
      const odd = runGit(["-C", repository.directory, "mktree", "-z"], `100644 blob ${blob}\t${name}\0`).trim();
      const root = runGit(["-C", repository.directory, "ls-tree", "main"]);
      const tree = runGit(["-C", repository.directory, "mktree"], `${root}040000 tree ${odd}\todd\n`).trim();
      const commit = runGit([
        ...asSomebody(repository.directory),
        "commit-tree",
        "-m",
        "Odd",
        "-p",
        "main",
        tree,
      ]).trim();
      runGit(["-C", repository.directory, "update-ref", "refs/heads/main", commit]);
      const connector = fixture.connector();
      const context = await pinned(connector, sourceOf(repository));
      const outcome = await prepare(connector, ARGS, context);
      if (!kept) {
        expect(outcome).toMatchObject({ ok: false, text: expect.stringContaining("unsafe names") });
        continue;
      }
      const frozen = await prepared(connector, ARGS, context);
      expect(await connector.write(callOf("git.propose_change", {}, frozen.form), context)).toMatchObject({
        kind: "executed",
      });
      expect(runGit(["-C", repository.directory, "rev-parse", `${formOf(frozen).branch}:odd`]).trim()).toBe(odd);
    }
  });

  test("a form that was changed after it was frozen is not executed (N31)", async () => {
    const { repository, connector, context, frozen, branchIs } = await setUp();
    const form = JSON.parse(frozen.form);
    const forged = [
      { ...form, files: [{ ...form.files[0], content: "other\n" }] },
      { ...form, message: "other\n" },
      { ...form, sourceId: "another" },
      { ...form, time: form.time + 1 },
      { ...form, files: [{ ...form.files[0], oldOid: form.tree }] },
    ];
    for (const one of forged) {
      const outcome = await connector.write(callOf("git.propose_change", {}, JSON.stringify(one)), context);
      expect(outcome).toMatchObject({ kind: "refused", invalid: "tampered" });
    }
    expect(branchIs()).toBeNull();
    expect(refsOf(repository.directory)).toEqual(["refs/heads/main"]);
  });

  test.each([
    "refs/heads/main",
    "refs/heads/-x",
    "HEAD",
    "refs/heads/ai/../main",
    "refs/heads/ai/x.lock",
    "refs/tags/ai/x",
    "refs/heads/../../config",
  ])("%s is never written (N66)", async (branch) => {
    const { repository, connector, context, frozen } = await setUp();
    const forged = JSON.stringify({ ...JSON.parse(frozen.form), branch });
    expect(await connector.write(callOf("git.propose_change", {}, forged), context)).toMatchObject({
      kind: "refused",
      invalid: "upgraded",
    });
    expect(refsOf(repository.directory)).toEqual(["refs/heads/main"]);
  });

  test("an unknown version of the form is upgraded, not guessed (APR-2)", async () => {
    const { connector, context, frozen } = await setUp();
    expect(await connector.write(callOf("git.propose_change", {}, frozen.form, 2), context)).toMatchObject({
      kind: "refused",
      invalid: "upgraded",
    });
    expect(await connector.write(callOf("git.propose_change", {}, null), context)).toMatchObject({
      kind: "refused",
      invalid: "upgraded",
    });
  });

  test("a planned stop at each point lets the next attempt end the same way (RUN-7)", async () => {
    for (const at of ["git.push:before", "git.push:after", "git.probe:before", "git.fetch:before", "git.fetch:after"]) {
      const { connector, context, call, form, branchIs } = await setUp();
      setFaultPlan({ rules: [{ at, act: "throw" }] });
      fixture.stored.clear();
      await fixture
        .connector()
        .write(call, context)
        .catch(() => undefined);
      await connector.probe(call, context).catch(() => undefined);
      setFaultPlan(undefined);
      const probe = await connector.probe(call, context);
      expect(["applied", "not_applied"]).toContain(probe.kind);
      expect(await connector.write(call, context)).toMatchObject({ kind: "executed" });
      expect(branchIs()).toBe(form.commit);
    }
  });
});

describe("recheck", () => {
  test("holds while the target stands, also when other files moved on (APR-3)", async () => {
    const { repository, connector, context, frozen, form } = await setUp();
    const check = () => connector.recheck(frozen.form, frozen.preconditions, context);
    expect(await check()).toEqual({ ok: true });
    for (let n = 0; n < 4; n += 1) commitFiles(repository.directory, { "src/b.txt": `moved ${n}\n` }, "Move on");
    expect(await check()).toEqual({ ok: true });
    const call = callOf("git.propose_change", {}, frozen.form);
    expect(await connector.write(call, context)).toMatchObject({ kind: "executed" });
    runGit(["-C", repository.directory, "fsck", "--strict"]);
    expect(runGit(["-C", repository.directory, "merge-base", "main", form.branch]).trim()).toBe(form.base);
    expect(await check()).toEqual({ ok: true });
  });

  test("holds without the server's filters too (APR-3)", async () => {
    const { repository, connector, context, frozen } = await setUp();
    runGit(["-C", repository.directory, "config", "uploadpack.allowFilter", "false"]);
    commitFiles(repository.directory, { "src/b.txt": "moved\n" }, "Move on");
    expect(await connector.recheck(frozen.form, frozen.preconditions, context)).toEqual({ ok: true });
  });

  test.each([
    ["changed", { "src/a.txt": "other\n" }],
    ["deleted", { "src/a.txt": null }],
  ] as const)("is stale when a file of the proposal was %s (F26)", async (_name, change) => {
    const { repository, connector, context, frozen } = await setUp();
    commitFiles(repository.directory, change, "Change it");
    expect(await connector.recheck(frozen.form, frozen.preconditions, context)).toMatchObject({
      ok: false,
      reason: "stale",
      text: expect.stringContaining("src/a.txt"),
    });
  });

  test("is stale when the place of a new file was taken, in whatever form (F26)", async () => {
    for (const taken of ["new/file.txt", "new", "new/file.txt/inside", "new/FILE.txt"]) {
      const { repository, connector, context } = await setUp();
      const frozen = await prepared(connector, { files: [{ path: "new/file.txt", content: "mine\n" }] }, context);
      commitFiles(repository.directory, { [taken]: "theirs\n" }, "Take the place");
      expect(await connector.recheck(frozen.form, frozen.preconditions, context)).toMatchObject({
        ok: false,
        reason: "stale",
      });
    }
  });

  test("is stale when the base is no longer part of the target (F26)", async () => {
    const { repository, connector, context, frozen } = await setUp();
    commitFiles(repository.directory, { "other.txt": "x\n" }, "Another history", "refs/heads/other");
    runGit(["-C", repository.directory, "update-ref", "refs/heads/main", "refs/heads/other"]);
    const outcome = await connector.recheck(frozen.form, frozen.preconditions, context);
    expect(outcome).toMatchObject({ ok: false, reason: "stale", text: expect.stringContaining("no longer part") });
    expect(outcome).toMatchObject({ drift: { code: "base_gone", facts: { branch: "main" } } });
    runGit(["-C", repository.directory, "-c", "gc.pruneExpire=now", "gc", "--prune=now", "--quiet"]);
    expect(await connector.recheck(frozen.form, frozen.preconditions, context)).toMatchObject({
      ok: false,
      reason: "stale",
    });
  });

  test("is stale when the target branch is gone or the source points elsewhere (APR-3)", async () => {
    const { repository, connector, context, frozen } = await setUp();
    const elsewhere = {
      ...context.source,
      config: { ...context.source.config, url: `${repository.url.replace(".git", "")}-x.git` },
    };
    expect(await connector.recheck(frozen.form, frozen.preconditions, { ...context, source: elsewhere })).toMatchObject(
      { ok: false, reason: "stale", drift: { code: "repository_changed", facts: {} } },
    );
    const otherBranch = { ...context.source, config: { ...context.source.config, branch: "next" } };
    runGit(["-C", repository.directory, "update-ref", "refs/heads/next", "refs/heads/main"]);
    expect(
      await connector.recheck(frozen.form, frozen.preconditions, { ...context, source: otherBranch }),
    ).toMatchObject({
      ok: false,
      reason: "stale",
      drift: { code: "target_branch_changed", facts: { branch: "main" } },
    });
    runGit(["-C", repository.directory, "update-ref", "-d", "refs/heads/main"]);
    expect(await connector.recheck(frozen.form, frozen.preconditions, context)).toMatchObject({
      ok: false,
      reason: "stale",
    });
  });

  test("is tampered when the stored preconditions or the source are others (N34)", async () => {
    const { connector, context, frozen } = await setUp();
    for (const key of ["base", "target", "branch"]) {
      const outcome = await connector.recheck(frozen.form, { ...frozen.preconditions, [key]: "other" }, context);
      expect(outcome).toMatchObject({ ok: false, reason: "tampered" });
    }
    expect(await connector.recheck("{}", frozen.preconditions, context)).toMatchObject({
      ok: false,
      reason: "upgraded",
    });
    const other = { ...context, source: { ...context.source, id: "another" } };
    expect(await connector.recheck(frozen.form, frozen.preconditions, other)).toMatchObject({
      ok: false,
      reason: "tampered",
    });
  });

  test("an unreachable server says nothing about the proposal: recheck throws, probe cannot tell (APR-3, RUN-7)", async () => {
    const { connector, context, frozen, call } = await setUp();
    const away = { ...context, signal: AbortSignal.abort() };
    await expect(connector.recheck(frozen.form, frozen.preconditions, away)).rejects.toMatchObject({
      code: "source_unreachable",
    });
    expect(await connector.probe(call, away)).toMatchObject({ kind: "cannot_tell" });
  });
});
