import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gone, processTable } from "../kit/processes.ts";
import { dataFolder, launch, startProduct, until, type Product } from "../kit/stack.ts";

/** Processes that hold this data folder open, whoever started them. */
const holding = (dataDir: string): readonly string[] =>
  processTable().flatMap((row) => (row.command.includes(dataDir) ? [row.command] : []));

const firstWorkspace = async (product: Product) => {
  const member = await product.signIn("member");
  const { items } = await member.call("listWorkspaces");
  const [workspace] = items;
  if (workspace === undefined) throw new Error("there is no workspace");
  return { member, workspaceId: workspace.id, name: workspace.name };
};

/** The seed's sources are tested by the job a click would start; then chats are open. */
const chatOpen = async (product: Product): Promise<true> => {
  const { member, workspaceId } = await firstWorkspace(product);
  return until("the seed's sources are tested", async () => {
    const { items } = await member.call("listSources", { params: { workspaceId } });
    return items.length > 1 && items.every(({ status }) => status === "tested") ? true : undefined;
  });
};

describe("the local start", () => {
  const folder = dataFolder();
  let product: Product;
  const warmMs: number[] = [];
  let chatId = "";
  let chatOwner = { workspaceId: "" };

  beforeAll(async () => {
    product = await startProduct({ dataDir: folder.path });
  });
  afterAll(async () => {
    product.signal("SIGKILL");
    await product.exited;
    folder.end();
  });

  test("OPS-1 the first start migrates, seeds people in each role, a tested repository and an upload that became a table", async () => {
    console.log(`first start, database made and seeded: ${(product.readyMs / 1000).toFixed(1)} s`);
    for (const path of ["/healthz", "/readyz"]) expect((await fetch(`${product.url}${path}`)).status, path).toBe(200);
    for (const name of ["owner", "member", "approver", "global", "admin", "outsider"]) {
      const me = await (await product.signIn(name)).call("me");
      expect(me.name).toBe(name);
    }
    const config = await (await product.signIn("member")).call("config");
    expect(config.demoModel).toBe(true);
    await chatOpen(product);
    const { member, workspaceId } = await firstWorkspace(product);
    const upload = await until("the demo's upload is a table", async () => {
      const { items } = await member.call("listUploads", { params: { workspaceId } });
      return items.find(({ status }) => status === "ready");
    });
    expect(upload).toMatchObject({ name: "Orders 2026.csv", table: "orders_2026", rows: 240 });
    expect(upload.columns?.map(({ type }) => type)).toEqual([
      "VARCHAR",
      "DATE",
      "VARCHAR",
      "VARCHAR",
      "DECIMAL(18,2)",
      "BOOLEAN",
    ]);
    chatOwner = { workspaceId };
    chatId = (await member.call("createChat", { params: { workspaceId }, body: { title: "kept" } })).id;
    expect(product.output().split("\n")[0]).toBe(`ready ${product.url}`);
  });

  test("OPS-1 Ctrl-C, even twice, ends every process with code 0", async () => {
    const tree = product.tree();
    expect(tree.map((row) => row.command).filter((command) => command.includes("postgres")).length).toBeGreaterThan(0);
    product.signal("SIGINT");
    product.signal("SIGINT");
    expect((await product.exited).code).toBe(0);
    expect(await gone(tree)).toEqual([]);
    expect(holding(folder.path)).toEqual([]);
  });

  test("OPS-1 a second start keeps the data and its logins", async () => {
    const password = product.password;
    product = await startProduct({ dataDir: folder.path });
    warmMs.push(product.readyMs);
    expect(product.password).toBe(password);
    const { member } = await firstWorkspace(product);
    const chat = await member.call("getChat", { params: { ...chatOwner, chatId } });
    expect(chat.title).toBe("kept");
  });

  test("OPS-1 killed with kill -9 it leaves no process, and starts again with its data", async () => {
    const tree = product.tree();
    product.process.kill("SIGKILL");
    await product.exited;
    expect(await gone(tree)).toEqual([]);
    expect(holding(folder.path)).toEqual([]);
    product = await startProduct({ dataDir: folder.path });
    warmMs.push(product.readyMs);
    const { member } = await firstWorkspace(product);
    expect((await member.call("getChat", { params: { ...chatOwner, chatId } })).title).toBe("kept");
  });

  test("OPS-1 a second instance on the same data says so in one sentence and disturbs nothing", async () => {
    const second = launch({ dataDir: folder.path });
    const { code } = await second.exited;
    expect(code).toBe(1);
    expect(second.output().trim().split("\n").length, second.output()).toBe(1);
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  });

  test("OPS-1 a refused --reset of an installation that runs changes nothing of it", async () => {
    const state = readFileSync(join(folder.path, "local.json"), "utf8");
    const second = launch({ dataDir: folder.path, args: ["--reset"] });
    expect((await second.exited).code).toBe(1);
    expect(readFileSync(join(folder.path, "local.json"), "utf8")).toBe(state);
  });

  test("OPS-1 with dependencies installed it is ready within 15 s", () => {
    // The quicker one counts: other tests run beside this one.
    const seconds = Math.min(...warmMs) / 1000;
    console.log(`start with dependencies installed: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(15);
  });

  test("OPS-1 without the keys of its database it does not start, and says what to do", async () => {
    await product.stop();
    const file = join(folder.path, "local.json");
    renameSync(file, `${file}.kept`);
    const without = launch({ dataDir: folder.path });
    expect((await without.exited).code).toBe(1);
    expect(without.output()).toMatch(/local\.json .* is missing; restore it, or start over with --reset/);
    writeFileSync(file, "{ half");
    const broken = launch({ dataDir: folder.path });
    expect((await broken.exited).code).toBe(1);
    expect(broken.output()).toMatch(/local\.json is not readable/);
    rmSync(file);
    renameSync(`${file}.kept`, file);
    expect(holding(folder.path)).toEqual([]);
  });

  test("OPS-1 --reset starts over", async () => {
    product = await startProduct({ dataDir: folder.path, args: ["--reset"] });
    await chatOpen(product);
    const { member, workspaceId } = await firstWorkspace(product);
    expect((await member.call("listChats", { params: { workspaceId } })).items).toEqual([]);
    expect(workspaceId).not.toBe(chatOwner.workspaceId);
    expect((await product.stop()).left).toEqual([]);
  });
});

describe("a start that cannot be", () => {
  const folder = dataFolder();
  afterAll(() => folder.end());

  test.each([
    ["AIW_LEASE_S", "soon", /^AIW_LEASE_S: must be a number of seconds/],
    ["AIW_PORT", "70000", /^AIW_PORT: must be a whole number/],
    ["AIW_HEARTBEAT_S", "29", /^AIW_HEARTBEAT_S: must be at most half of AIW_LEASE_S/],
    ["AIW_SECRET_KEY", "short", /^AIW_SECRET_KEY: /],
  ])("OPS-6 %s=%s is one sentence and a failure, and nothing is left running", async (name, value, sentence) => {
    const start = launch({ dataDir: folder.path, env: { [name]: value } });
    const { code } = await start.exited;
    expect(code).not.toBe(0);
    const lines = start.output().trim().split("\n");
    expect(lines.filter((line) => sentence.test(line.replace(/^[-*\s]*/, ""))).length, start.output()).toBe(1);
    expect(lines.length, start.output()).toBeLessThanOrEqual(2);
    expect(holding(folder.path)).toEqual([]);
  });

  test("OPS-1 an unknown option is refused before anything is started", async () => {
    const start = launch({ dataDir: folder.path, args: ["--rest"] });
    expect((await start.exited).code).toBe(1);
    expect(start.output()).toContain("unknown option --rest");
    expect(holding(folder.path)).toEqual([]);
  });

  test("OPS-1 a taken port is avoided", async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const product = await startProduct({ dataDir: folder.path, env: { AIW_PORT: String(port) } });
    try {
      const got = Number(new URL(product.url).port);
      expect(got).toBeGreaterThan(port);
      expect(got).toBeLessThan(port + 50);
      expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    } finally {
      const { left, code } = await product.stop();
      server.close();
      expect(left).toEqual([]);
      expect(code).toBe(0);
    }
  });
});
