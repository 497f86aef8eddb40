import { runGit } from "@aiw/infra/local/git-command";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../kit/client.ts";
import { answerOf, approve, newChat, requestOf, runEnds, say } from "../kit/people.ts";
import { startLocal, until, type LocalStack } from "../kit/stack.ts";
import { pickSeed, randomFrom } from "../kit/watch.ts";

/** Syllables, so that names look like names and no two repositories are alike. */
const SYLLABLES = ["ba", "ko", "lu", "mer", "ni", "pol", "ra", "sun", "ti", "vo", "xen", "zu", "grü", "fä"] as const;

interface Generated {
  readonly name: string;
  /** Where the thing stands that a person asks for. */
  readonly path: string;
  readonly symbol: string;
  readonly value: number;
  readonly files: Readonly<Record<string, string>>;
}

const generate = (random: () => number): Generated => {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? (from[0] as T);
  const word = (): string => Array.from({ length: 3 }, () => pick(SYLLABLES)).join("");
  const ascii = (): string => word().replaceAll("ü", "u").replaceAll("ä", "a");
  const symbol = `${ascii()}_${ascii()}`.toUpperCase();
  const value = 10 + Math.floor(random() * 9_000);
  const folder = `${ascii()}/${word()}`;
  const path = `${folder}/${word()}.${pick(["ts", "py", "md", "yaml"])}`;
  const noise = Object.fromEntries(
    Array.from({ length: 6 }, () => [
      `${ascii()}/${ascii()}.${pick(["ts", "txt"])}`,
      `${word()} ${word()}\n${word()}\n`,
    ]),
  );
  const text = `# ${word()}\n${symbol} = ${value}\n${word()} ${word()} ${word()}\n`;
  return { name: `repo-${ascii()}`, path, symbol, value, files: { ...noise, [path]: text } };
};

const WORDS = {
  de: {
    find: (what: string) => `Suche nach „${what}“`,
    read: (path: string) => `Lies \`${path}\``,
    replace: (from: string, to: string, path: string) => `Ersetze \`${from}\` durch \`${to}\` in \`${path}\``,
  },
  en: {
    find: (what: string) => `Where is ${what} used?`,
    read: (path: string) => `Show me the file \`${path}\``,
    replace: (from: string, to: string, path: string) => `Please replace \`${from}\` with \`${to}\` in \`${path}\``,
  },
} as const;

describe("GW-5 the demo model works on a repository nobody wrote it for", () => {
  let local: LocalStack;
  let owner: Client;
  const seed = pickSeed("generated repository");
  const made = generate(randomFrom(seed));
  let workspaceId = "";
  let directory = "";

  beforeAll(async () => {
    local = await startLocal();
    owner = await local.signIn("owner");
    const repository = local.stack.git.createRepository(made.name);
    directory = repository.directory;
    fill(directory, made.files);
    workspaceId = (await owner.call("createWorkspace", { body: { name: made.name } })).id;
    const source = await owner.call("createSource", {
      params: { workspaceId },
      body: { kind: "git", name: made.name, url: repository.url, token: local.gitToken, confirmed: true },
    });
    await owner.call("testSource", { params: { workspaceId, sourceId: source.id } });
    await owner.call("setWorkspaceTool", {
      params: { workspaceId, toolId: "git.propose_change" },
      body: { active: true },
    });
    await until("the source is tested", async () =>
      (await owner.call("getWorkspace", { params: { workspaceId } })).chatOpen ? true : undefined,
    );
  });
  afterAll(() => local?.stop());

  test.each(["de", "en"] as const)(
    "GW-5 %s: it finds, reads and replaces by the names that are really there",
    async (language) => {
      const words = WORDS[language];
      const chatId = await newChat(owner, workspaceId);
      const ask = async (text: string): Promise<string> => {
        const run = await runEnds(owner, await say(owner, workspaceId, chatId, text));
        expect(run.status, `seed ${seed}: ${text}`).toBe("completed");
        return answerOf(owner, workspaceId, chatId);
      };
      expect(await ask(words.find(made.symbol)), `seed ${seed}`).toContain(
        `${made.path}:2: ${made.symbol} = ${made.value}`,
      );
      expect(await ask(words.read(made.path)), `seed ${seed}`).toContain(`${made.symbol} = ${made.value}`);
      expect(await ask(words.find(`${made.symbol}_NOT`)), `seed ${seed}`).not.toContain(made.path);

      const replacement = `${made.symbol} = ${made.value + (language === "de" ? 1 : 2)}`;
      const runId = await say(
        owner,
        workspaceId,
        chatId,
        words.replace(`${made.symbol} = ${made.value}`, replacement, made.path),
      );
      const request = await requestOf(owner, runId);
      expect(request.preview.files?.map((file) => file.path)).toEqual([made.path]);
      await approve(owner, request);
      await runEnds(owner, runId);
      const branch = String(request.preconditions["branch"]);
      const pushed = runGit(["-C", directory, "show", `${branch}:${made.path}`]);
      expect(pushed, `seed ${seed}`).toBe(
        (made.files[made.path] ?? "").replace(`${made.symbol} = ${made.value}`, replacement),
      );
      expect(await answerOf(owner, workspaceId, chatId)).toContain(branch.replace("refs/heads/", ""));
    },
  );

  test("GW-5 what the files do not hold is not made up", async () => {
    const chatId = await newChat(owner, workspaceId);
    const runId = await say(
      owner,
      workspaceId,
      chatId,
      `replace \`${made.symbol} is not there\` with \`x\` in \`${made.path}\``,
    );
    expect((await runEnds(owner, runId)).status).toBe("completed");
    const run = await owner.call("getRun", { params: { runId } });
    expect(run.approvals).toEqual([]);
  });
});

const fill = (directory: string, files: Readonly<Record<string, string>>): void => {
  const who = "Maintainer <maintainer@example.com> 1790000000 +0000";
  const blobs = Object.entries(files).map(
    ([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  runGit(
    ["-C", directory, "fast-import", "--quiet"],
    `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata 6\nStart\n\n${blobs.join("")}\n`,
  );
};
