import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEgress, EgressError, readBody } from "./egress.ts";
import type { EgressOptions, ResolvedAddress } from "./egress.ts";

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });

/** Requests that reached the server, so that "refused before connect" can be seen. */
const reached: http.IncomingMessage[] = [];
const server = http.createServer((request, response) => {
  reached.push(request);
  answer(request.url ?? "", request, response);
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function answer(path: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  if (path.startsWith("/redirect/")) {
    response.writeHead(Number(path.slice(10, 13)), { location: "http://169.254.169.254/latest" }).end();
    return;
  }
  if (path === "/hang") return;
  if (path === "/done") return void response.writeHead(202).end();
  if (path === "/drip") return void response.write("x");
  if (path === "/cut") return void response.write("x", () => response.destroy());
  if (path === "/big") return void response.end(Buffer.alloc(4_000));
  if (path === "/endless") {
    const more = (): void => void (response.destroyed || response.write(Buffer.alloc(1_000), () => setImmediate(more)));
    return more();
  }
  request.pipe(response.writeHead(200, { "x-method": request.method, "set-cookie": ["a=1", "b=2"] }));
}

function codeOf(options: Partial<EgressOptions>, url: string): string {
  try {
    createEgress({ allowedHosts: [], allowLocal: false, ...options }).check(url);
    return "ok";
  } catch (error) {
    return error instanceof EgressError ? error.code : String(error);
  }
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof EgressError ? error.code : String(error);
}

const limits = { timeoutMs: 5_000, maxBytes: 10_000 };

describe("SRC-3 what may be asked for", () => {
  const allowedHosts = ["git.example.com", "git.intern:8443", "bücher.example"];
  test.each([
    ["https://git.example.com/a", "ok"],
    ["https://GIT.example.com./a", "ok"],
    ["https://git.example.com:443/a", "ok"],
    ["https://git.intern:8443/a", "ok"],
    ["https://b%C3%BCcher.example/", "ok"],
    ["https://xn--bcher-kva.example/", "ok"],
    ["https://git.example.com:22/a", "host_not_allowed"],
    ["https://git.example.com:25/a", "host_not_allowed"],
    ["https://git.example.com:6379/a", "host_not_allowed"],
    ["https://git.example.com:80/a", "host_not_allowed"],
    ["https://git.intern/a", "host_not_allowed"],
    ["https://allowed.example.evil/", "host_not_allowed"],
    ["https://git.example.com.evil.example/", "host_not_allowed"],
    ["https://evil-git.example.com/", "host_not_allowed"],
    ["https://xn--git-example-com.evil/", "host_not_allowed"],
    ["https://127.0.0.1.nip.io/", "host_not_allowed"],
    ["https://localhost./", "host_not_allowed"],
    ["https://2130706433/", "host_not_allowed"],
    ["https://0x7f000001/", "host_not_allowed"],
    ["https://0177.0.0.1/", "host_not_allowed"],
    ["https://127.1/", "host_not_allowed"],
    ["https://①②⑦.⓪.⓪.①/", "host_not_allowed"],
    ["https://%31%32%37.0.0.1/", "host_not_allowed"],
    ["https://169.254.169.254./", "host_not_allowed"],
    ["https://[::ffff:169.254.169.254]/", "host_not_allowed"],
    ["https://[64:ff9b::7f00:1]/", "host_not_allowed"],
    ["https://[::7f00:1]/", "host_not_allowed"],
    ["http://git.example.com/a", "scheme_not_allowed"],
    ["file:///etc/passwd", "scheme_not_allowed"],
    ["ftp://git.example.com/", "scheme_not_allowed"],
    ["ssh://git.example.com/", "scheme_not_allowed"],
    ["javascript:alert(1)", "scheme_not_allowed"],
    ["https://user@git.example.com/", "userinfo_not_allowed"],
    ["https://user:pw@git.example.com/", "userinfo_not_allowed"],
    ["https://git.example.com@evil.example/", "userinfo_not_allowed"],
    ["https://git.example.com\\@evil.example/", "ok"], // a backslash ends the host: it is git.example.com that is asked
    ["https://", "address_not_valid"],
    ["git.example.com", "address_not_valid"],
    ["", "address_not_valid"],
  ])("N52 %s: %s", (url, expected) => {
    expect(codeOf({ allowedHosts }, url)).toBe(expected);
  });

  test.each([
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["①②⑦.⓪.⓪.①", "127.0.0.1"],
    ["10.0.0.5", "10.0.0.5"],
    ["169.254.169.254.", "169.254.169.254"],
    ["[::ffff:169.254.169.254]", "169.254.169.254"],
    ["[64:ff9b::7f00:1]", "64:ff9b::7f00:1"],
    ["[::7f00:1]", "::7f00:1"],
    ["[2002:7f00:1::]", "2002:7f00:1::"],
  ])("N52 %s on the list without a port does not open the address behind it", (form, entry) => {
    const listed = entry.includes(":") ? `[${entry}]` : entry;
    expect(["address_not_allowed", "host_not_allowed"]).toContain(
      codeOf({ allowedHosts: [listed] }, `https://${form}/`),
    );
  });

  test("SRC-3 link-local and metadata addresses stay closed even with host and port on the list", () => {
    for (const host of ["169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "0.0.0.0"]) {
      expect(codeOf({ allowedHosts: [`${host}:443`, `${host}:80`], allowLocal: true }, `https://${host}/`)).toBe(
        "address_not_allowed",
      );
    }
  });

  test("SRC-3 plain http needs the local switch and host and port on the list", () => {
    const local = { allowedHosts: ["127.0.0.1:3001", "git.example.com"], allowLocal: true };
    expect(codeOf(local, "http://127.0.0.1:3001/r.git")).toBe("ok");
    expect(codeOf({ ...local, allowLocal: false }, "http://127.0.0.1:3001/r.git")).toBe("scheme_not_allowed");
    expect(codeOf(local, "http://127.0.0.1:3002/r.git")).toBe("host_not_allowed");
    expect(codeOf(local, "http://git.example.com/r.git")).toBe("scheme_not_allowed");
    expect(codeOf({ allowedHosts: ["localhost"], allowLocal: true }, "http://localhost:4999/")).toBe("ok");
  });

  test("SRC-3 a list entry that is an address with a path is refused", () => {
    expect(() => createEgress({ allowedHosts: ["git.example.com/path"], allowLocal: false })).toThrow(TypeError);
  });
});

describe("SRC-3 what may be connected to", () => {
  const to = (addresses: readonly ResolvedAddress[], extra: Partial<EgressOptions> = {}) =>
    createEgress({ allowedHosts: ["git.example.com"], allowLocal: false, resolve: async () => addresses, ...extra });

  test.each([
    [[v4("127.0.0.1")]],
    [[v4("10.0.0.1")]],
    [[v4("169.254.169.254")]],
    [[v4("8.8.8.8"), v4("192.168.0.1")]],
    [[{ address: "fd12::1", family: 6 }]],
    [[{ address: "::ffff:7f00:1", family: 6 }]],
    [[{ address: "64:ff9b::a00:1", family: 6 }]],
    [[]],
  ])("N52 a listed name that leads to %j is refused", async (addresses) => {
    expect(await failureOf(to(addresses).resolve("git.example.com", 443))).toBe("address_not_allowed");
  });

  test("SRC-3 host and port on the list may lead into the private network, not to loopback or metadata", async () => {
    const allowedHosts = ["git.example.com:8443"];
    expect(await to([v4("10.0.0.1")], { allowedHosts }).resolve("git.example.com", 8443)).toHaveLength(1);
    expect(await failureOf(to([v4("10.0.0.1")], { allowedHosts }).resolve("git.example.com", 443))).toBe(
      "host_not_allowed",
    );
    expect(await failureOf(to([v4("127.0.0.1")], { allowedHosts }).resolve("git.example.com", 8443))).toBe(
      "address_not_allowed",
    );
    expect(
      await failureOf(to([v4("169.254.169.254")], { allowedHosts, allowLocal: true }).resolve("git.example.com", 8443)),
    ).toBe("address_not_allowed");
  });

  test("N52 a name that changes between check and connect is refused before the connection", async () => {
    const answers = [[v4("93.184.215.14")], [v4("127.0.0.1")]];
    const egress = createEgress({
      allowedHosts: ["git.example.com"],
      allowLocal: false,
      resolve: async () => answers.shift() ?? [],
    });
    await egress.resolve("git.example.com", 443);
    const before = reached.length;
    expect(await failureOf(egress.request({ url: "https://git.example.com/", ...limits }))).toBe("address_not_allowed");
    expect(reached).toHaveLength(before);
  });

  test("SRC-3 the connection goes to the very address that was checked, with the name in the request", async () => {
    let asked = 0;
    const egress = createEgress({
      allowedHosts: [`git.example.com:${port}`],
      allowLocal: true,
      resolve: async () => ((asked += 1), [v4("127.0.0.1")]),
    });
    const response = await egress.request({ url: `http://git.example.com:${port}/`, ...limits });
    await readBody(response.body);
    expect([response.status, asked, reached.at(-1)?.headers.host]).toEqual([200, 1, `git.example.com:${port}`]);
    egress.close();
  });

  test("N52 an agent used on its own refuses literal addresses too", async () => {
    const egress = createEgress({ allowedHosts: ["127.0.0.1"], allowLocal: false });
    const before = reached.length;
    const refused = await new Promise((resolve) =>
      http.get(`http://127.0.0.1:${port}/`, { agent: egress.agents().http }).on("error", resolve),
    );
    expect(refused).toMatchObject({ code: "address_not_allowed" });
    expect(reached).toHaveLength(before);
  });

  test("N52 other protocols and agents do not get other ports of a host listed without one", async () => {
    const egress = to([v4("93.184.215.14")]);
    expect(await egress.resolve("GIT.example.com.", 443)).toHaveLength(1);
    for (const other of [22, 25, 80, 6379])
      expect(await failureOf(egress.resolve("git.example.com", other))).toBe("host_not_allowed");
  });

  test("SRC-3 a name that cannot be resolved is unreachable", async () => {
    const egress = createEgress({
      allowedHosts: ["git.example.com"],
      allowLocal: false,
      resolve: () => Promise.reject(new Error("ENOTFOUND")),
    });
    expect(await failureOf(egress.request({ url: "https://git.example.com/", ...limits }))).toBe("unreachable");
  });
});

describe("SRC-3 bounded requests", () => {
  const local = () => createEgress({ allowedHosts: [`127.0.0.1:${port}`], allowLocal: true });
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;

  test("SRC-3 a request carries method, headers and a body of any form, and the answer streams", async () => {
    async function* parts() {
      yield Buffer.from("he");
      yield Buffer.from("llo");
    }
    for (const body of ["hello", Buffer.from("hello"), parts()]) {
      const response = await local().request({
        url: at("/echo"),
        method: "POST",
        headers: { "x-a": "1" },
        body,
        ...limits,
      });
      expect([response.status, response.headers["x-method"], response.headers["set-cookie"]]).toEqual([
        200,
        "POST",
        "a=1, b=2",
      ]);
      expect(Buffer.from(await readBody(response.body)).toString()).toBe("hello");
      expect(reached.at(-1)?.headers["x-a"]).toBe("1");
    }
  });

  test.each([301, 302, 303, 307, 308])("N52 a %i to another host is an error and sends nothing on", async (status) => {
    const before = reached.length;
    const work = local().request({ url: at(`/redirect/${status}`), headers: { authorization: "Bearer x" }, ...limits });
    expect(await failureOf(work)).toBe("redirect_not_allowed");
    expect(reached).toHaveLength(before + 1);
  });

  test("SRC-3 answers are cut at the limit, announced or not", async () => {
    expect(await failureOf(local().request({ url: at("/big"), timeoutMs: 5_000, maxBytes: 3_999 }))).toBe(
      "response_too_large",
    );
    const exact = await local().request({ url: at("/big"), timeoutMs: 5_000, maxBytes: 4_000 });
    expect((await readBody(exact.body)).byteLength).toBe(4_000);
    const endless = await local().request({ url: at("/endless"), ...limits });
    expect(await failureOf(readBody(endless.body))).toBe("response_too_large");
  });

  test("SRC-3 time is bounded before and within the answer", async () => {
    expect(await failureOf(local().request({ url: at("/hang"), timeoutMs: 100, maxBytes: 10 }))).toBe("timeout");
    const drip = await local().request({ url: at("/drip"), timeoutMs: 200, maxBytes: 10 });
    expect(await failureOf(readBody(drip.body))).toBe("timeout");
  });

  test("SRC-3 a cut connection is an error, not a short answer", async () => {
    const cut = await local().request({ url: at("/cut"), ...limits });
    expect(await failureOf(readBody(cut.body))).toBe("unreachable");
    expect(
      await failureOf(
        createEgress({ allowedHosts: ["127.0.0.1:1"], allowLocal: true }).request({
          url: "http://127.0.0.1:1/",
          ...limits,
        }),
      ),
    ).toBe("unreachable");
  });

  test("RUN-8 the caller's signal ends a request with its own reason", async () => {
    const stop = new AbortController();
    const work = local().request({ url: at("/hang"), signal: stop.signal, ...limits });
    stop.abort(new Error("cancelled by the user"));
    expect(await failureOf(work)).toBe("Error: cancelled by the user");
  });

  test("RUN-8 a signal that comes after an answer, while nobody reads it to its end, harms no one else", async () => {
    for (let round = 0; round < 20; round += 1) {
      const stop = new AbortController();
      const answered = await local().request({ url: at("/done"), signal: stop.signal, ...limits });
      const reading = answered.body[Symbol.asyncIterator]().next();
      stop.abort();
      await Promise.allSettled([reading]);
    }
    const after = await local().request({ url: at("/done"), ...limits });
    expect((await readBody(after.body)).byteLength).toBe(0);
  });
});
