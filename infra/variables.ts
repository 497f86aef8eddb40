import type { EnvName } from "@aiw/platform/env";
import { CHECKED_AT_START, type FunctionName, NEVER_DEPLOYED, PLANS, SECRETS } from "./functions.ts";

/** The direct connection for LISTEN; of the service that holds streams alone. */
export const LISTEN_VARIABLE = "AIW_DATABASE_LISTEN_URL" satisfies EnvName;

/** Where a stage keeps its secrets; every function may read its own of them and no others. */
export const parameterName = (stage: string, variable: string): string =>
  `/aiw/${stage}/${variable.replace(/^AIW_/, "").toLowerCase().replaceAll("_", "-")}`;

/**
 * The variables of one function: what it reads, of the stage's settings or `wired` by the deployment, and of a secret the
 * reference alone (OPS-4). A variable nobody sets is left to its default.
 * @throws Error for a setting that is for development machines only
 */
export const variablesOf = <T>(
  name: FunctionName,
  stage: { readonly name: string; readonly variables: Readonly<Record<string, string>> },
  wired: Readonly<Partial<Record<EnvName, T>>>,
): Record<string, T | string> => {
  const forbidden = NEVER_DEPLOYED.filter((variable) => variable in stage.variables);
  if (forbidden.length > 0) throw new Error(`${forbidden.join(", ")}: for development; remove it before you deploy`);
  return Object.fromEntries(
    [...CHECKED_AT_START, ...PLANS[name].variables].flatMap((variable): [string, T | string][] => {
      if (SECRETS.includes(variable)) return [[variable, `ssm:${parameterName(stage.name, variable)}`]];
      const value = wired[variable] ?? stage.variables[variable];
      return value === undefined ? [] : [[variable, value]];
    }),
  );
};

/** The parameters a function may read. */
export const parametersOf = (name: FunctionName, stage: string): readonly string[] =>
  PLANS[name].variables
    .filter((variable) => SECRETS.includes(variable))
    .map((variable) => parameterName(stage, variable));
