/**
 * Executes the deployment's graph without an account: every resource is recorded instead of made, then held against what
 * infra/functions.ts declares. Part of `npm run check:infra`.
 */
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = import.meta.dirname;
const platform = join(here, ".sst", "platform");
const cli = {
  command: "deploy",
  backend: "",
  paths: { home: here, root: here, work: join(here, ".sst"), platform },
  state: { version: {} },
};

/** What the engine asks its own program for: names of its state, and built code, which is packed already. */
const engine = createServer((incoming, outgoing) => {
  let body = "";
  incoming.on("data", (chunk) => (body += chunk));
  incoming.on("end", () => {
    const { method, params } = JSON.parse(body);
    const result =
      method === "Provider.Aws.Bootstrap"
        ? { asset: "assets", state: "state", appsyncHttp: "", appsyncRealtime: "" }
        : method === "Runtime.Build"
          ? { handler: params[0].handler, out: join(here, params[0].bundle), errors: [], sourcemaps: [] }
          : {};
    outgoing.end(JSON.stringify({ result }));
  });
});
await new Promise((resolve) => engine.listen(0, "127.0.0.1", resolve));
Object.assign(process.env, {
  SST_SERVER: `http://127.0.0.1:${engine.address().port}`,
  SST_SECRETS: JSON.stringify({ GatewayKey: "sk-check" }),
  SST_SECRET_GatewayKey: "sk-check",
  DEPLOY_DOMAIN: "ai.example.com",
  DEPLOY_ALARM_EMAIL: "ops@example.com",
});

const code = `
import * as pulumi from "@pulumi/pulumi";
import * as aws from "@pulumi/aws";
import * as random from "@pulumi/random";
import * as sst from "./.sst/platform/src/components/index";
import { run } from "./.sst/platform/src/auto/run";
import { deployAll } from "./stack.ts";
import { examine } from "./expectations.ts";
import { mocks } from "./mocks.ts";
import { quiet } from "./mocks.ts";
const { recorded, runtime } = mocks();
pulumi.runtime.setMocks(runtime, "aiw", $app.stage, false);
Object.assign(globalThis, { sst, aws, random });
await pulumi.runtime.runInPulumiStack(() => run(async () => deployAll()));
await quiet(recorded);
examine(recorded, $app.stage, process.env.DEPLOY_STREAMS);
`;
mkdirSync(join(here, ".packed"), { recursive: true });
const out = join(platform, "graph.run.mjs");
for (const [stage, streams] of [
  ["production", "function"],
  ["production", "container"],
]) {
  process.env.DEPLOY_STREAMS = streams;
  await build({
    stdin: { contents: code, resolveDir: here, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    outfile: out,
    packages: "external",
    nodePaths: [join(platform, "node_modules")],
    inject: [join(platform, "src", "shim", "run.js")],
    define: {
      $app: JSON.stringify({ name: "aiw", stage, removal: "retain", protect: false, providers: { aws: {} } }),
      $dev: "false",
      $cli: JSON.stringify(cli),
    },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    alias: { "@aiw/platform/env": join(here, "..", "..", "packages", "platform", "src", "env.ts") },
    logLevel: "error",
  });
  await import(`${pathToFileURL(out).href}?${streams}`);
}
engine.close();
process.exit(0);
