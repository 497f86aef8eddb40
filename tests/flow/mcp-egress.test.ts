import { afterAll, beforeAll, expect, test } from "vitest";
import { startHostileServer, type HostileServer } from "../kit/ledger/hostile.ts";
import { connectTo, signal, TOKEN, type Wired } from "./mcp-fixture.ts";

let good: HostileServer;
let thief: HostileServer;
let wired: Wired;
beforeAll(async () => {
  good = await startHostileServer();
  thief = await startHostileServer();
  // Both are allowed: that a host may be reached does not make it the owner of another's token.
  wired = connectTo(good.url, { more: [thief.port] });
});
afterAll(async () => {
  wired.egress.close();
  await Promise.all([good.stop(), thief.stop()]);
});

const failure = (): Promise<unknown> =>
  wired.connector.discover(wired.source, signal()).then(
    () => "no failure",
    (error: unknown) => error,
  );

test.each([301, 302, 303, 307, 308])(
  "N50 SRC-3 a redirect (%i) is not followed, the token stays at its own host",
  async (status) => {
    good.script.on = (exchange) => {
      exchange.response.writeHead(status, { location: thief.url }).end();
      return true;
    };
    expect(await failure()).toMatchObject({ code: "mcp_protocol", detail: expect.stringContaining("redirects") });
    expect(thief.seen).toEqual([]);
  },
);

test("N50 the address of sign-in metadata that a server names is not asked for", async () => {
  good.script.on = (exchange) => {
    exchange.response
      .writeHead(401, {
        "www-authenticate": `Bearer resource_metadata="${thief.url}/.well-known/oauth-protected-resource"`,
      })
      .end();
    return true;
  };
  const before = good.seen.length;
  expect(await failure()).toMatchObject({ code: "source_auth_failed" });
  expect(thief.seen).toEqual([]);
  expect(good.seen.slice(before).map(({ http }) => http)).toEqual(["POST /mcp"]);
});

test("N50 the token goes with every request to its own host, as a header only", async () => {
  good.script.on = () => false;
  const before = good.seen.length;
  expect((await wired.connector.discover(wired.source, signal())).tools).toHaveLength(1);
  const seen = good.seen.slice(before);
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.every(({ authorization, http }) => authorization === `Bearer ${TOKEN}` && !http.includes(TOKEN))).toBe(
    true,
  );
});

test("SRC-3 a host that is not on the list is refused before anything is sent", async () => {
  const other = connectTo(good.url);
  const source = { ...other.source, config: { ...other.source.config, url: thief.url } };
  const before = thief.seen.length;
  const refused = await other.connector.discover(source, signal()).then(
    () => "no failure",
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code: "source_host_not_allowed" });
  expect(thief.seen).toHaveLength(before);
  expect(() => other.connector.readConfig({ url: thief.url, server: "shop" })).toThrow(
    expect.objectContaining({ code: "source_host_not_allowed" }),
  );
  other.egress.close();
});

test.each([
  "ftp://127.0.0.1/mcp",
  "not an address",
  "http://user:secret@127.0.0.1/mcp",
  "http://127.0.0.1/mcp#a",
  "http://127.0.0.1/mcp?access_token=a",
  "http://127.0.0.1/mcp?api-key=a",
  "http://127.0.0.1/m\u0000cp",
  "",
])("SRC-3 N50 an address that cannot be registered: %j", (url) => {
  expect(() => wired.connector.readConfig({ url, server: "shop" })).toThrow(
    expect.objectContaining({ fields: { url: expect.any(String) } }),
  );
});

test("SRC-2 a failure holds no token, in no field and in no cause", async () => {
  good.script.on = (exchange) => {
    exchange.error(-32_000, `your token is ${TOKEN}`);
    return true;
  };
  const error = await failure();
  const inspect = (value: unknown): string =>
    value instanceof Error ? `${value.message} ${JSON.stringify(value)}` : String(value);
  expect(inspect(error)).not.toContain(TOKEN);
});
