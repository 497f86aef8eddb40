/** Reads parameters by their names, decrypted; what does not exist or may not be read is not in the answer. */
export type ReadParameters = (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;

type Source = Readonly<Record<string, string | undefined>>;

const PREFIX = "ssm:";
/** The most that may be asked for at once. */
const BATCH = 10;

/** A variable names a parameter that cannot be read; the message says which and what to do, never a value. */
export class SecretReferenceError extends Error {
  override readonly name = "SecretReferenceError";
}

/**
 * Secrets by reference (OPS-4): a variable whose value is `ssm:NAME` stands for the parameter of that name, so that no function's
 * settings, and nothing that lists them, holds the secret itself. Without such a variable nothing is asked.
 * @returns the variables that were references, with their values
 * @throws SecretReferenceError
 */
export async function resolveReferences(source: Source, read: ReadParameters): Promise<Record<string, string>> {
  const references = Object.entries(source).flatMap(([variable, value]) =>
    value?.startsWith(PREFIX) === true ? [{ variable, name: value.slice(PREFIX.length).trim() }] : [],
  );
  const names = [...new Set(references.map(({ name }) => name))];
  const found = new Map<string, string>();
  for (let from = 0; from < names.length; from += BATCH) {
    for (const [name, value] of await read(names.slice(from, from + BATCH))) found.set(name, value);
  }
  const missing = references.filter(({ name }) => !found.has(name));
  if (missing.length > 0) {
    const list = missing.map(({ variable, name }) => `${variable} (${name})`).join(", ");
    throw new SecretReferenceError(
      `These parameters do not exist or may not be read: ${list}. Create them with aws ssm put-parameter, or let this role read them.`,
    );
  }
  return Object.fromEntries(references.map(({ variable, name }) => [variable, found.get(name) ?? ""]));
}
