import type { Env } from "./env.ts";

type Source = Readonly<Record<string, string | undefined>>;

/** Sentences about values that are each right but do not fit each other (RUN-23) or the mode (N87). */
export function misfits(env: Env, source: Source, opensSecrets: boolean): string[] {
  return [
    ...timeMisfits(env),
    ...limitMisfits(env),
    ...(env.AIW_ENV === "production" ? productionMisfits(env, source, opensSecrets) : []),
  ];
}

function timeMisfits(env: Env): string[] {
  const rules: readonly [boolean, string][] = [
    [
      env.AIW_HEARTBEAT_S * 2 <= env.AIW_LEASE_S,
      "AIW_HEARTBEAT_S: must be at most half of AIW_LEASE_S, so that one late heartbeat does not lose the lease",
    ],
    [
      env.AIW_MODEL_IDLE_S <= env.AIW_MODEL_TURN_S,
      "AIW_MODEL_IDLE_S: must not be longer than AIW_MODEL_TURN_S, or a silent model is never noticed",
    ],
    [
      env.AIW_MODEL_TURN_S < env.AIW_STEP_S,
      "AIW_MODEL_TURN_S: must be shorter than AIW_STEP_S, so that a step can still save what the turn brought",
    ],
    [
      env.AIW_TOOL_CALL_S < env.AIW_STEP_S,
      "AIW_TOOL_CALL_S: must be shorter than AIW_STEP_S, so that a step can still save the result",
    ],
    [
      env.AIW_PUSH_S < env.AIW_STEP_S,
      "AIW_PUSH_S: must be shorter than AIW_STEP_S, so that a step can still save the outcome",
    ],
    [
      env.AIW_STEP_S < env.AIW_FUNCTION_S,
      "AIW_STEP_S: must be shorter than AIW_FUNCTION_S, or the platform kills a step before it ends by itself",
    ],
    [
      env.AIW_QUEUE_VISIBILITY_S >= env.AIW_FUNCTION_S,
      "AIW_QUEUE_VISIBILITY_S: must be at least AIW_FUNCTION_S, or a message is delivered again while its step still runs",
    ],
    [env.AIW_SESSION_IDLE_S <= env.AIW_SESSION_MAX_S, "AIW_SESSION_IDLE_S: must not be longer than AIW_SESSION_MAX_S"],
  ];
  return rules.filter(([fits]) => !fits).map(([, sentence]) => sentence);
}

function limitMisfits(env: Env): string[] {
  if (env.AIW_MAX_TOOL_ROUNDS <= env.AIW_MAX_TOOL_ROUNDS_LIMIT) return [];
  return ["AIW_MAX_TOOL_ROUNDS: must not be above AIW_MAX_TOOL_ROUNDS_LIMIT"];
}

function productionMisfits(env: Env, source: Source, opensSecrets: boolean): string[] {
  const problems: string[] = [];
  if (env.AIW_PUBLIC_URL === undefined)
    problems.push("AIW_PUBLIC_URL: must be set in production, links and mails begin with it");
  else if (!env.AIW_PUBLIC_URL.startsWith("https://"))
    problems.push("AIW_PUBLIC_URL: must begin with https:// in production");
  if (opensSecrets && env.AIW_SECRET_KEY === undefined)
    problems.push("AIW_SECRET_KEY: must be set in production; make a key with: openssl rand -base64 32");
  if (env.AIW_MODEL.startsWith("demo-"))
    problems.push("AIW_MODEL: the demo model is for development; name a model of your gateway");
  return [
    ...problems,
    ...switches(source).map((name) => `${name}: is for development and tests; remove it in production`),
  ];
}

/** Names of set variables that point at emulators or loosen a guard, also of parts that read their own variables. */
function switches(source: Source): string[] {
  const forbidden =
    /^(AIW_SQS_ENDPOINT|AWS_ENDPOINT_URL(_[A-Z0-9_]+)?|AIW_([A-Z0-9]+_)*ALLOW_LOCAL|AIW_DEMO_PASSWORD|AIW_FAULTS|AIW_TEST_[A-Z0-9_]+)$/;
  const off = new Set(["", "0", "false"]);
  return Object.keys(source)
    .filter((name) => forbidden.test(name) && !off.has(source[name]?.trim() ?? ""))
    .toSorted();
}
