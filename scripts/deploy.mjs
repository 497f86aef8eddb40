import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildWeb } from "./build-web.mjs";

const folder = join(import.meta.dirname, "..", "infra", "deploy");
/** The engine of the deployment is installed beside it, and only by the commands that need it. */
const environment = {
  ...process.env,
  SST_TELEMETRY_DISABLED: "1",
  npm_config_strict_allow_scripts: "false",
};

const run = (program, args, extra = {}) => {
  const result = spawnSync(program, args, { cwd: folder, env: { ...environment, ...extra }, stdio: "inherit" });
  if (result.error) throw new Error(`${program} did not start: ${result.error.message}`);
  return result.status ?? 1;
};

/**
 * `deploy STAGE [...]`: packs everything and deploys it. `check`: types and graph of the deployment, without an account. `sst ...`:
 * any other command of the engine, such as `tunnel`.
 */
async function main([what = "", ...rest]) {
  if (run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]) !== 0) return 1;
  if (what === "check") return check();
  if (what === "sst") return run("npx", ["sst", ...rest]);
  const [stage = "", ...others] = rest;
  if (what !== "deploy" || !/^[a-z][a-z0-9-]{1,20}$/.test(stage)) {
    console.error("Usage: npm run deploy -- STAGE, such as: npm run deploy -- production (docs/deploy.md)");
    return 2;
  }
  const { readStage } = await import("../infra/stage.ts");
  readStage(stage, process.env);
  if (buildWeb() !== 0) return 1;
  await pack();
  return run("npx", ["sst", "deploy", "--stage", stage, ...others]);
}

async function pack() {
  const { packFunction, packLayer, packService } = await import("../infra/bundle.ts");
  const { FUNCTIONS } = await import("../infra/functions.ts");
  const out = join(folder, ".packed");
  for (const name of FUNCTIONS) await packFunction(name, out);
  packLayer(out);
  await packService(out);
}

async function check() {
  const offline = {
    SST_SKIP_DEPENDENCY_CHECK: "1",
    SST_NO_BUN: "1",
    SST_STAGE: "check",
    npm_config_ignore_scripts: "true",
  };
  if (run("npx", ["sst", "install"], offline) !== 0) return 1;
  if (run("tsc", ["-p", "."]) !== 0) return 1;
  if (buildWeb() !== 0) return 1;
  await pack();
  return run("node", ["graph.mjs"], offline);
}

process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : String(error));
  return 1;
});
