import { z } from "zod";
import { misfits } from "./env-rules.ts";
import { shape } from "./env-shape.ts";

const schema = z.object(shape);

/** The validated environment. Each key is the variable itself, so that one search finds both ends. */
export type Env = z.output<typeof schema>;

export type EnvName = keyof Env;

/** `Env` in which the named variables are set. */
export type EnvWith<K extends EnvName> = Env & { [P in K]-?: NonNullable<Env[P]> };

type Source = Readonly<Record<string, string | undefined>>;

/** Every variable the product knows, in the order of docs/configuration.md. */
export const envNames: readonly string[] = Object.keys(shape);

/** The environment cannot be used; the message lists every problem, one per line, with what to do (OPS-6). */
export class EnvError extends Error {
  override readonly name = "EnvError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const list = problems.map((problem) => `  - ${problem}`).join("\n");
    super(`The environment is not usable (see docs/configuration.md):\n${list}`);
    this.problems = problems;
  }
}

/**
 * Reads and checks the environment (OPS-6): each value by itself, the times against each other (RUN-23), and in
 * production the absence of everything meant for development (N87). Empty values count as not set; values are never
 * repeated in messages. `needed` names variables this process cannot do without; one that opens no secrets is not given the key,
 * and may be without it in production too.
 * @throws EnvError
 */
export function loadEnv<K extends EnvName = never>(
  source: Source,
  needed: readonly K[] = [],
  options: { readonly opensSecrets?: boolean } = {},
): EnvWith<K> {
  const given = Object.fromEntries(
    envNames.flatMap((name) => {
      const value = source[name]?.trim();
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
  const parsed = schema.safeParse(given);
  const missing = needed.filter((name) => given[name] === undefined && shapeHasNoDefault(parsed.data, name));
  const problems = missing.map((name) => `${name}: is needed here and not set`);
  if (!parsed.success) {
    problems.unshift(...parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
    throw new EnvError(problems);
  }
  problems.push(...misfits(parsed.data, source, options.opensSecrets ?? true));
  if (problems.length > 0 || !hasAll(parsed.data, needed)) throw new EnvError(problems);
  return readers.size === 0 ? parsed.data : watched(parsed.data);
}

const readers = new Set<(name: EnvName) => void>();

/** Tells `reader` each variable that is taken from an environment loaded from now on; returns the way to stop it (OPS-4). */
export function onRead(reader: (name: EnvName) => void): () => void {
  readers.add(reader);
  return () => void readers.delete(reader);
}

const watched = <T extends Env>(env: T): T =>
  new Proxy(env, {
    get: (target, name, receiver): unknown => {
      for (const reader of readers) if (isEnvName(name)) reader(name);
      return Reflect.get(target, name, receiver);
    },
  });

const isEnvName = (name: string | symbol): name is EnvName => typeof name === "string" && Object.hasOwn(shape, name);

/** Variables that begin with AIW_ and mean nothing here: most likely typing errors. */
export function unknownVariables(source: Source): string[] {
  return Object.keys(source)
    .filter((name) => name.startsWith("AIW_") && !envNames.includes(name))
    .toSorted();
}

function shapeHasNoDefault(data: Env | undefined, name: EnvName): boolean {
  return data === undefined || data[name] === undefined;
}

function hasAll<K extends EnvName>(env: Env, needed: readonly K[]): env is EnvWith<K> {
  return needed.every((name) => env[name] !== undefined);
}
