import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const secret = (bytes = 18): string => randomBytes(bytes).toString("base64url");

const schema = z.object({
  secretKey: z.string(),
  rolePasswords: z.object({ api: z.string(), step: z.string(), retention: z.string() }),
  gitToken: z.string(),
  gatewayKey: z.string(),
  demoPassword: z.string(),
  /** The address of the demo Git server is part of a stored source, so its port is kept from start to start. */
  gitPort: z.number().int(),
  /** The demo's MCP server, likewise; absent in folders of an older version, and made then. */
  ordersToken: z.string().default(() => secret()),
  ordersPort: z.number().int().default(0),
});

/** What a local installation made for itself at its first start; secrets, readable by its owner alone. */
export type LocalState = z.infer<typeof schema>;

/** Reads the state of a data folder, or makes it. @throws an error that says what to do when the file cannot be read. */
export const readState = (dataDir: string): LocalState => {
  const file = join(dataDir, "local.json");
  if (existsSync(file)) {
    const parsed = schema.safeParse(jsonOf(readFileSync(file, "utf8")));
    if (parsed.success) {
      // What an older version did not have is made once.
      writeState(dataDir, parsed.data);
      return parsed.data;
    }
    throw new Error(`${file} is not readable as the state of a local stack; restore it, or start over with --reset`);
  }
  const state: LocalState = {
    secretKey: randomBytes(32).toString("base64"),
    rolePasswords: { api: secret(), step: secret(), retention: secret() },
    gitToken: secret(),
    gatewayKey: secret(),
    demoPassword: `demo-${secret(6)}`,
    gitPort: 0,
    ordersToken: secret(),
    ordersPort: 0,
  };
  writeState(dataDir, state);
  return state;
};

export const hasState = (dataDir: string): boolean => existsSync(join(dataDir, "local.json"));

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Written aside and renamed: an interrupted start leaves the old state or the new one, never half of it. */
export const writeState = (dataDir: string, state: LocalState): void => {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const file = join(dataDir, "local.json");
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
};
