import { resolveReferences } from "./references.ts";

type Source = Readonly<Record<string, string | undefined>>;

/** Before the first event, so that every event finds them; a failure is the platform's failed start, which it tries again. */
const secrets = await resolveReferences(process.env, async (names) => {
  // Loaded only where there is something to read.
  const { readParameters } = await import("./parameters.ts");
  return readParameters(names);
});

/** The variables of this process, with the secrets that they only name (OPS-4). */
export const environment = (): Source => ({ ...process.env, ...secrets });

/** The platform freezes this process between two invocations: nothing may wait for a later moment. */
export const isFunction = process.env["AWS_LAMBDA_FUNCTION_NAME"] !== undefined;
