import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Api, type Client, startApi } from "./http-fixture.ts";

let api: Api;
let owner: Client;
beforeAll(async () => {
  api = await startApi();
  owner = await api.signIn("owner");
});
afterAll(() => api.stop());

const create = (name: string, client = owner, workspaceId = api.workspaceId): Promise<Answer> =>
  client.call("POST", `/api/workspaces/${workspaceId}/sources`, {
    kind: "git",
    name,
    url: "https://git.example.com/a/b",
    confirmed: true,
  });

test("SRC-2: a second source of a name is refused whatever its case, blanks and spelling of the same letters", async () => {
  const first = await create("Größe eins");
  expect(first.status).toBe(201);
  for (const same of [
    "Größe eins",
    "größe EINS",
    "  Größe  eins ",
    "Größe\u00a0eins",
    "Gro\u0308ße\u2003eins",
    "Größe\teins",
  ]) {
    const refused = await create(same);
    expect(refused.status, JSON.stringify(same)).toBe(409);
    expect(refused.body).toMatchObject({ code: "name_taken", fields: { name: "taken" } });
  }
  const listed = await owner.call("GET", `/api/workspaces/${api.workspaceId}/sources`);
  expect(listed.body.items.map((source: { name: string }) => source.name)).toEqual(["Größe eins"]);
});

test("SRC-2: of many sources of one name made at once, one is", async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => create(n % 2 === 0 ? "at once" : "AT ONCE")));
  expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array<number>(7).fill(409),
  ]);
});

test("SRC-2: names with characters nobody sees, or that cannot be stored, are refused by field", async () => {
  for (const name of ["orders\u200b", "orders\u202e", "a\u0000b", "x\ud800", "a\nb"])
    expect((await create(name)).body, JSON.stringify(name)).toMatchObject({
      code: "bad_request",
      fields: { name: "bad_text" },
    });
});

test("SRC-2: a removed source frees its name, and other workspaces have names of their own", async () => {
  const first = await create("reused");
  const path = `/api/workspaces/${api.workspaceId}/sources/${first.body.id}`;
  expect((await create("reused", await api.signIn("outsider"), api.otherWorkspaceId)).status).toBe(201);
  expect((await owner.call("DELETE", path)).status).toBe(204);
  expect((await create("REUSED")).status).toBe(201);
  expect((await create("reused")).status).toBe(409);
});
