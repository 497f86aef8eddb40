import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { HARNESSES } from "./all.ts";

/**
 * `npm run chaos [-- --only g1,g2] [--seed S] [--runs N]`: plays the harnesses of spec 70 section 5 in their long form, or
 * in the size and with the seed that were asked for. Ends with 0 when nothing broke.
 */
const main = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: "string" }, seed: { type: "string" }, runs: { type: "string" } },
  });
  const known = Object.keys(HARNESSES);
  const unknown = (values.only ?? "").split(",").filter((id) => id !== "" && !known.includes(id));
  const numbers = [values.seed, values.runs].filter((value) => value !== undefined && !/^\d{1,10}$/.test(value));
  if (unknown.length > 0 || numbers.length > 0) {
    console.error(`Usage: npm run chaos [-- --only ${known.join(",")}] [--seed S] [--runs N], S and N whole numbers.`);
    return 2;
  }
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31));
  console.log(`chaos: seed ${seed}, ${values.only ?? known.join(",")}`);
  const child = spawn("vitest", ["run", "--project", "chaos"], {
    stdio: "inherit",
    env: {
      ...process.env,
      AIW_CHAOS: "1",
      AIW_CHAOS_SEED: seed,
      ...(values.only === undefined ? {} : { AIW_CHAOS_ONLY: values.only }),
      ...(values.runs === undefined ? {} : { AIW_CHAOS_RUNS: values.runs }),
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void child.kill(signal));
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(`The test runner did not start: ${error.message}`);
      resolve(1);
    });
    child.once("exit", (code) => resolve(code ?? 1));
  });
};

process.exitCode = await main(process.argv.slice(2));
