import { createHash } from "node:crypto";
import http from "node:http";
import { deflateSync } from "node:zlib";
import { createGitConnector, type GitLimits } from "@aiw/connectors/git";
import { seedDemoRepository } from "@aiw/infra/local/demo-repository";
import { runGit } from "@aiw/infra/local/git-command";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TOKEN, callOf, commitFiles, pinned, sourceOf, startGitFixture, type GitFixture } from "./git-fixture.ts";

let fixture: GitFixture;
beforeAll(async () => void (fixture = await startGitFixture()));
afterAll(() => fixture.stop());

const soon = () => AbortSignal.timeout(20_000);

describe("the settings of a source", () => {
  test("are brought into one spelling (SRC-2)", () => {
    const url = `http://127.0.0.1:${fixture.server.port}/a/b.git`;
    expect(fixture.connector().readConfig({ url: ` ${url}/ `, branch: "refs/heads/dev", username: "robot" })).toEqual({
      url,
      branch: "dev",
      username: "robot",
    });
    expect(fixture.connector().readConfig({ url })).toEqual({ url, branch: null, username: null });
  });

  const at = (rest: string) => `http://127.0.0.1:${fixture.server.port}${rest}`;
  test.each<[string, () => unknown, string]>([
    ["no address", () => ({}), "source_url_invalid"],
    ["not an address", () => ({ url: "orders" }), "source_url_invalid"],
    ["ssh", () => ({ url: "git@host:a/b.git" }), "source_url_invalid"],
    ["ssh scheme", () => ({ url: "ssh://git@host/a.git" }), "source_url_invalid"],
    ["a file", () => ({ url: "file:///etc/passwd" }), "source_url_invalid"],
    ["credentials in the address", () => ({ url: at("/a.git").replace("//", "//me:secret@") }), "source_url_invalid"],
    ["a query", () => ({ url: at("/a.git?x=1") }), "source_url_invalid"],
    ["no path", () => ({ url: at("/") }), "source_url_invalid"],
    ["another host", () => ({ url: "https://git.example/a.git" }), "source_host_not_allowed"],
    ["another port", () => ({ url: "http://127.0.0.1:2/a.git" }), "source_host_not_allowed"],
    ["the metadata service", () => ({ url: "http://169.254.169.254/a.git" }), "source_host_not_allowed"],
    ["a hidden address", () => ({ url: "http://2130706433/a.git" }), "source_host_not_allowed"],
    ["a bad branch", () => ({ url: at("/a.git"), branch: "a..b" }), "bad_request"],
    ["a branch like an option", () => ({ url: at("/a.git"), branch: "-x" }), "bad_request"],
    ["a user with a colon", () => ({ url: at("/a.git"), username: "a:b" }), "bad_request"],
    ["an unknown field", () => ({ url: at("/a.git"), token: "x" }), "source_url_invalid"],
  ])("%s is refused (SRC-3, N52)", (_name, input, code) => {
    const given: unknown = input();
    expect(() => fixture.connector().readConfig(JSON.parse(JSON.stringify(given)))).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe("the connection test", () => {
  test("passes stage by stage on a good repository, by token alone and with a user name (SRC-2, GIT-2)", async () => {
    const repository = fixture.server.createRepository("orders");
    const head = seedDemoRepository(repository.directory);
    const byToken = await fixture.connector().testConnection(sourceOf(repository), soon());
    expect(byToken).toEqual({
      ok: true,
      stages: [
        { stage: "address", ok: true },
        { stage: "reach", ok: true },
        { stage: "login", ok: true },
        { stage: "list", ok: true, facts: { branch: "main", head, branches: 1 } },
        { stage: "read", ok: true, facts: { files: 20, readme: true, agents: true } },
      ],
      warnings: ["git_plain_http", "git_branch_rules_unchecked"],
    });
    const named = sourceOf(repository, { config: { url: repository.url, branch: "main", username: "robot" } });
    expect(await fixture.connector().testConnection(named, soon())).toMatchObject({ ok: true });
    expect(JSON.stringify(byToken)).not.toContain(TOKEN);
  });

  const stagesOf = async (over: Parameters<typeof sourceOf>[1], name = "orders", limits: Partial<GitLimits> = {}) => {
    const source = sourceOf({ name, url: `${fixture.server.url}/${name}.git` }, over);
    const report = await fixture.connector(limits).testConnection(source, soon());
    expect(report.ok).toBe(false);
    expect(report.stages.slice(0, -1).every((stage) => stage.ok)).toBe(true);
    return report.stages.at(-1);
  };

  test("names the stage and the code of what fails (SRC-2)", async () => {
    const url = (text: string) => ({ config: { url: text, branch: null, username: null } });
    expect(await stagesOf(url("https://git.example/a.git"))).toEqual({
      stage: "address",
      ok: false,
      code: "source_host_not_allowed",
    });
    expect(await stagesOf(url("http://127.0.0.1:1/a.git"))).toEqual({
      stage: "reach",
      ok: false,
      code: "source_unreachable",
    });
    expect(await stagesOf({ secret: "wrong" })).toEqual({ stage: "login", ok: false, code: "source_auth_failed" });
    expect(await stagesOf({ secret: null })).toEqual({ stage: "login", ok: false, code: "source_auth_failed" });
    expect(await stagesOf({ secret: "a\r\nX-Evil: 1" })).toEqual({
      stage: "login",
      ok: false,
      code: "source_auth_failed",
    });
    expect(await stagesOf({}, "nowhere")).toEqual({ stage: "list", ok: false, code: "source_not_found" });
    fixture.server.createRepository("empty");
    expect(await stagesOf({}, "empty")).toEqual({ stage: "list", ok: false, code: "source_empty" });
    const branch = { config: { url: `${fixture.server.url}/orders.git`, branch: "gone", username: null } };
    expect(await stagesOf(branch)).toEqual({ stage: "list", ok: false, code: "source_branch_missing" });
  });

  test("limits of files, text and packed bytes end the test at reading (GIT-2)", async () => {
    const large = { stage: "read", ok: false, code: "source_too_large" };
    fixture.stored.clear();
    expect(await stagesOf({}, "orders", { maxFiles: 5 })).toEqual(large);
    expect(await stagesOf({}, "orders", { maxTextBytes: 500 })).toEqual(large);
    expect(await stagesOf({}, "orders", { maxPackBytes: 1000 })).toEqual(large);
    expect(await stagesOf({}, "orders", { maxInflatedBytes: 1000 })).toEqual(large);
    expect(await stagesOf({}, "orders", { maxObjects: 3 })).toEqual(large);
  });

  test("a token that only reads is a warning, not a failure (GIT-10)", async () => {
    const repository = fixture.repository("readonly", { "a.txt": "a\n" });
    runGit(["-C", repository.directory, "config", "http.receivepack", "false"]);
    const report = await fixture.connector().testConnection(sourceOf(repository), soon());
    expect(report).toMatchObject({ ok: true, warnings: ["git_plain_http", "git_cannot_push", "git_no_agents_md"] });
  });

  test("a server whose HEAD names a branch that is not there is read by its only branch (GIT-2)", async () => {
    const repository = fixture.repository("headless", { "a.txt": "a\n" });
    runGit(["-C", repository.directory, "symbolic-ref", "HEAD", "refs/heads/master"]);
    const report = await fixture.connector().testConnection(sourceOf(repository), soon());
    expect(report).toMatchObject({
      ok: true,
      stages: expect.arrayContaining([expect.objectContaining({ facts: { files: 1, readme: false, agents: false } })]),
    });
    const context = await pinned(fixture.connector(), sourceOf(repository));
    for (let n = 0; n < 3; n += 1) commitFiles(repository.directory, { "a.txt": `${n}\n` }, "Next");
    fixture.stored.clear();
    const result = await fixture.connector().read(callOf("git.read_file", { path: "a.txt" }), context);
    expect(result.text).toContain("\ta");
  });

  test("a pin that cannot be had is a sentence without secrets (GIT-1)", async () => {
    const source = sourceOf({ name: "orders", url: `${fixture.server.url}/orders.git` }, { secret: "wrong-secret-1" });
    const pin = await fixture.connector().pin(source, soon());
    expect(pin).toMatchObject({ ok: false, text: expect.stringContaining("401") });
    expect(JSON.stringify(pin)).not.toContain("wrong-secret-1");
  });
});

/** A server that answers what a test says. */
const hostile = async (answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) => {
  const seen: http.IncomingMessage[] = [];
  const server = http.createServer((request, response) => {
    seen.push(request);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const egress = { allowedHosts: [`127.0.0.1:${port}`], allowLocal: true };
  const bucket = { put: async () => undefined, get: async () => null };
  const connector = (limits: Partial<GitLimits> = {}) => createGitConnector({ egress, bucket, limits });
  const source = sourceOf({ name: "hostile", url: `http://127.0.0.1:${port}/a.git` });
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { connector, source, seen, port, stop, [Symbol.dispose]: stop };
};

const pkt = (data: Buffer | string): Buffer => {
  const body = Buffer.from(data);
  return Buffer.concat([Buffer.from((body.byteLength + 4).toString(16).padStart(4, "0")), body]);
};
const OID = "a".repeat(40);
const advertise = (response: http.ServerResponse, refs: readonly string[] = [`${OID} refs/heads/main`]): void => {
  const [first = "", ...rest] = refs;
  response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
  response.end(
    Buffer.concat([
      pkt("# service=git-upload-pack\n"),
      Buffer.from("0000"),
      pkt(`${first}\0side-band-64k ofs-delta shallow symref=HEAD:refs/heads/main\n`),
      ...rest.map((ref) => pkt(`${ref}\n`)),
      Buffer.from("0000"),
    ]),
  );
};
const sendPack = (response: http.ServerResponse, pack: Buffer): void => {
  const bands: Buffer[] = [];
  for (let at = 0; at < pack.byteLength; at += 60_000)
    bands.push(pkt(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + 60_000)])));
  response.end(Buffer.concat([pkt("NAK\n"), ...bands, Buffer.from("0000")]));
};
const framed = (count: number, body: Buffer): Buffer => {
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(count, 8);
  const all = Buffer.concat([head, body]);
  return Buffer.concat([all, createHash("sha1").update(all).digest()]);
};
const sized = (kind: number, size: number): Buffer => {
  const bytes = [(kind << 4) | (size % 16) | 0x80];
  for (let rest = Math.floor(size / 16); ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 0x80);
  }
};

describe("a hostile server (N67)", () => {
  const codeAgainst = async (answer: Parameters<typeof hostile>[0], limits: Partial<GitLimits> = {}) => {
    using server = await hostile(answer);
    const report = await server.connector({ idleMs: 1000, ...limits }).testConnection(server.source, soon());
    const pin = await server.connector({ idleMs: 1000, ...limits }).pin(server.source, soon());
    expect(pin.ok).toBe(false);
    expect(JSON.stringify([report, pin])).not.toContain(TOKEN);
    return report.stages.at(-1)?.code;
  };
  const afterRefs =
    (answer: (response: http.ServerResponse) => void): Parameters<typeof hostile>[0] =>
    (request, response) =>
      request.method === "GET" ? advertise(response) : answer(response);

  test("a web page instead of Git, silence, a broken line and an unknown status are clear codes", async () => {
    expect(await codeAgainst((_, response) => response.end("<html>Sign in</html>"))).toBe("source_protocol");
    expect(await codeAgainst(() => undefined)).toBe("source_unreachable");
    expect(await codeAgainst((request) => request.socket.destroy())).toBe("source_unreachable");
    expect(await codeAgainst((_, response) => response.writeHead(418).end())).toBe("source_protocol");
    expect(await codeAgainst((_, response) => response.writeHead(500).end())).toBe("source_unreachable");
    const broken = (_: unknown, response: http.ServerResponse) => {
      response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
      response.end("zzzz");
    };
    expect(await codeAgainst(broken)).toBe("source_protocol");
  });

  test("an endless list of refs and an endless side band are cut off", async () => {
    const flood = (response: http.ServerResponse, part: Buffer) => {
      const go = (): void => {
        while (!response.destroyed && response.write(part));
        response.once("drain", go);
      };
      go();
    };
    const refs = (_: unknown, response: http.ServerResponse) => {
      response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
      flood(response, Buffer.concat(Array.from({ length: 500 }, () => pkt(`${OID} refs/heads/x\n`))));
    };
    expect(await codeAgainst(refs, { maxAdvertisementBytes: 1_000_000 })).toBe("source_too_large");
    const chatter = pkt(Buffer.concat([Buffer.from([2]), Buffer.alloc(1000, "x")]));
    expect(
      await codeAgainst(
        afterRefs((response) => flood(response, chatter)),
        { maxPackBytes: 1_000_000 },
      ),
    ).toBe("source_too_large");
  });

  test("credentials never follow a redirect to another host or port", async () => {
    using other = await hostile((_, response) => advertise(response));
    for (const status of [301, 302, 307, 308]) {
      const to = `http://127.0.0.1:${other.port}/a.git/info/refs?service=git-upload-pack`;
      expect(await codeAgainst((_, response) => response.writeHead(status, { location: to }).end())).toBe(
        "source_protocol",
      );
      const meta = "http://169.254.169.254/latest/meta-data";
      expect(await codeAgainst((_, response) => response.writeHead(status, { location: meta }).end())).toBe(
        "source_protocol",
      );
    }
    expect(other.seen).toEqual([]);
    expect(await codeAgainst((request, response) => response.writeHead(301, { location: request.url }).end())).toBe(
      "source_protocol",
    );
    const login = (_: unknown, response: http.ServerResponse) => response.writeHead(302, { location: "/login" }).end();
    expect(await codeAgainst(login)).toBe("source_auth_failed");
  });

  test("a renamed repository on the same host is followed", async () => {
    using server = await hostile((request, response) => {
      if (request.url?.startsWith("/a.git/") === true)
        response.writeHead(301, { location: (request.url ?? "").replace("/a.git", "/b.git") }).end();
      else if (request.method === "GET") advertise(response);
      else response.writeHead(404).end();
    });
    const report = await server.connector().testConnection(server.source, soon());
    expect(report.stages.at(-1)).toMatchObject({ stage: "read", code: "source_not_found" });
    expect(server.seen.map((request) => request.url)).toContain("/b.git/git-upload-pack");
  });

  test("bombs, lies about size, circles of deltas and wrong checksums are refused", async () => {
    const zeros = deflateSync(Buffer.alloc(40 * 1024 * 1024));
    const blob = deflateSync(Buffer.from("x"));
    const base = (oid: string) => Buffer.from(oid, "hex");
    const delta = deflateSync(Buffer.from([1, 1, 1, 120]));
    const cases: [string, Buffer, string][] = [
      ["unfolds to more than it says", framed(1, Buffer.concat([sized(3, 16), zeros])), "source_protocol"],
      [
        "unfolds beyond the limit",
        framed(3, Buffer.concat([1, 2, 3].flatMap(() => [sized(3, 40 * 1024 * 1024), zeros]))),
        "source_too_large",
      ],
      ["promises ten gigabytes", framed(1, Buffer.concat([sized(3, 10 * 1024 ** 3), blob])), "source_too_large"],
      [
        "promises more objects than it has",
        framed(9, Buffer.concat([sized(3, 17), deflateSync(Buffer.alloc(17))])),
        "source_protocol",
      ],
      ["promises a billion objects", framed(1_000_000_000, Buffer.alloc(20)), "source_too_large"],
      [
        "rests on what is not there",
        framed(1, Buffer.concat([Buffer.from([(7 << 4) | 4]), base(OID), delta])),
        "source_protocol",
      ],
      ["rests on itself", framed(1, Buffer.concat([Buffer.from([(6 << 4) | 4, 0]), delta])), "source_protocol"],
      [
        "has another checksum",
        Buffer.concat([framed(0, Buffer.alloc(0)).subarray(0, 12), Buffer.alloc(20)]),
        "source_protocol",
      ],
      ["is empty", framed(0, Buffer.alloc(0)), "source_protocol"],
      ["is noise", Buffer.alloc(1000, 7), "source_protocol"],
    ];
    const limits = { maxInflatedBytes: 100 * 1024 * 1024, maxObjectBytes: 50 * 1024 * 1024 };
    for (const [name, pack, code] of cases) {
      expect([
        name,
        await codeAgainst(
          afterRefs((response) => sendPack(response, pack)),
          limits,
        ),
      ]).toEqual([name, code]);
    }
  });

  test("refs that Git would refuse are not seen, and SHA-256 repositories are told apart (N66)", async () => {
    const names = ["refs/heads/../../config", "refs/heads/-x", "refs/heads/x.lock", "../HEAD"];
    expect(
      await codeAgainst((_, response) =>
        advertise(
          response,
          names.map((name) => `${OID} ${name}`),
        ),
      ),
    ).toBe("source_empty");
    expect(await codeAgainst((_, response) => advertise(response, [`${OID} refs/heads/a b`]))).toBe("source_protocol");
    const sha256 = (_: unknown, response: http.ServerResponse) => {
      response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
      response.end(
        Buffer.concat([pkt(`${"a".repeat(64)} refs/heads/main\0object-format=sha256\n`), Buffer.from("0000")]),
      );
    };
    expect(await codeAgainst(sha256)).toBe("source_protocol");
  });

  test("a server that repeats the token in its error does not get it into ours", async () => {
    const echo = (request: http.IncomingMessage, response: http.ServerResponse) => {
      response.setHeader("content-type", "application/x-git-upload-pack-advertisement");
      response.end(pkt(`ERR no access for ${request.headers.authorization ?? ""}\u001b[31m\n`));
    };
    using server = await hostile(echo);
    const pin = await server.connector().pin(server.source, soon());
    expect(pin).toEqual({ ok: false, text: "no access for Bearer [REDACTED]" });
  });

  test("a read that is cancelled ends at once", async () => {
    using server = await hostile(() => undefined);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 50);
    const started = performance.now();
    expect((await server.connector().pin(server.source, cancel.signal)).ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test("the stored snapshot and the frozen form hold no credentials (SRC-2)", async () => {
  const repository = fixture.repository("clean", { "a.txt": "a\n" });
  const connector = fixture.connector();
  const context = await pinned(connector, sourceOf(repository));
  await connector.read(callOf("git.list_dir", {}), context);
  const all = [...fixture.stored].map(([key, bytes]) => key + Buffer.from(bytes).toString("latin1")).join("");
  expect(all).not.toContain(TOKEN);
});
