import { createAdmin } from "./create-admin.ts";
import { doctor } from "./doctor.ts";
import { migrateDatabase } from "./migrate.ts";
import { rotateKeys } from "./rotate-keys.ts";

const USAGE = `aiw - the command line of AI Workspace

  aiw create-admin NAME [DISPLAY NAME]   make a platform admin; prints a one-time password once
  aiw migrate                            bring the database to this version and set the passwords of its roles
  aiw rotate-keys                        seal every stored secret with the first key of AIW_SECRET_KEY
  aiw doctor                             check variables, database, subscription and queues

Variables are read from the environment; see docs/configuration.md.`;

/** Exit codes: 0 done, 1 it went wrong, 2 wrong usage. */
async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case "create-admin":
      return rest.length === 0 ? usage() : createAdmin(process.env, rest);
    case "migrate":
      return migrateDatabase(process.env);
    case "rotate-keys":
      return rotateKeys(process.env);
    case "doctor":
      return doctor(process.env);
    default:
      return usage();
  }
}

function usage(): number {
  process.stderr.write(`${USAGE}\n`);
  return 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : "something went wrong"}\n`);
  process.exitCode = 1;
}
