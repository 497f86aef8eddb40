import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { runGit } from "@aiw/infra/local/git-command";
import { expect, test } from "vitest";
import { demoWorkspace } from "../kit/people.ts";
import { processTable } from "../kit/processes.ts";
import { ROOT, startProduct } from "../kit/stack.ts";

/** The first command of the README's section "Start". */
const startCommand = (folder: string): readonly string[] => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const found = /^## Start$[\s\S]*?```sh\n(.+)\n```/m.exec(readme)?.[1];
  if (found === undefined) throw new Error("the README names no start command");
  return found.split(" ");
};

/** The machine's own programs: not the Node that this checkout brought along, nor what an npm around the tests says of itself. */
const machine = (): Record<string, string> => ({
  PATH: (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter),
  npm_config_prefer_offline: "true",
  npm_config_local_prefix: "",
  NODE: "",
  INIT_CWD: "",
});

test.skipIf(!existsSync(join(ROOT, ".git")))(
  "OPS-1 a clean clone installs, builds, starts and answers /readyz by the README's one command; Ctrl-C leaves no process",
  { timeout: 600_000 },
  async () => {
    const home = mkdtempSync(join(tmpdir(), "aiw-clone-"));
    const clone = join(home, "clone");
    try {
      runGit(["clone", "--quiet", ROOT, clone]);
      const [program = "", ...args] = startCommand(clone);
      const product = await startProduct({
        dataDir: ".data",
        command: { program, args, cwd: clone },
        env: machine(),
        readyWithinMs: 480_000,
      });
      console.log(`clean clone to ready, installation included: ${(product.readyMs / 1000).toFixed(0)} s`);
      expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
      expect(await (await fetch(product.url)).text()).toContain("<title>");
      await demoWorkspace(await product.signIn("member"));
      const { left } = await product.stop();
      expect(left).toEqual([]);
      expect(processTable().filter((row) => row.command.includes(home))).toEqual([]);
      // Nothing that was made is a change to the checkout.
      expect(runGit(["-C", clone, "status", "--porcelain"])).toBe("");
    } finally {
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);
