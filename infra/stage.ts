/** What one stage is made of; everything else is the same everywhere. Read from the environment of whoever deploys. */
export interface Stage {
  readonly name: string;
  readonly isProduction: boolean;
  /** Host of the product, such as ai.example.com, whose DNS zone lies in the same account. */
  readonly domain: string;
  /** `function`: streams end after a minute and poll; `container`: a small service holds them all and listens (OPS-4). */
  readonly streams: "function" | "container";
  /** Way out of the private network: a small machine, or the managed gateway in two zones. */
  readonly nat: "ec2" | "managed";
  readonly databaseInstance: string;
  readonly databaseStandby: boolean;
  /** Gets the alarms. */
  readonly alarmEmail: string;
  /** Invocations of the step function at the same time at most: what the database has connections for. */
  readonly stepConcurrency: number;
  /** Variables of the product (docs/configuration.md) that this stage sets. */
  readonly variables: Readonly<Record<string, string>>;
}

type Source = Readonly<Record<string, string | undefined>>;

/** @throws Error that lists everything that is missing or wrong, before anything is changed */
export const readStage = (name: string, source: Source): Stage => {
  const problems: string[] = [];
  const need = (variable: string, fits: RegExp, what: string): string => {
    const value = source[variable]?.trim() ?? "";
    if (!fits.test(value)) problems.push(`${variable}: must be ${what}`);
    return value;
  };
  const choose = <T extends string>(variable: string, allowed: readonly [T, ...T[]]): T => {
    const value = source[variable]?.trim() || allowed[0];
    const found = allowed.find((one) => one === value);
    if (found === undefined) problems.push(`${variable}: must be ${allowed.join(" or ")}`);
    return found ?? allowed[0];
  };
  const isProduction = name === "production";
  const stage: Stage = {
    name,
    isProduction,
    domain: need("DEPLOY_DOMAIN", /^([a-z0-9-]+\.)+[a-z]{2,}$/, "a host such as ai.example.com"),
    alarmEmail: need("DEPLOY_ALARM_EMAIL", /^[^@\s]+@[^@\s]+$/, "an e-mail address"),
    streams: choose("DEPLOY_STREAMS", ["function", "container"]),
    nat: choose("DEPLOY_NAT", isProduction ? ["managed", "ec2"] : ["ec2", "managed"]),
    databaseInstance: source["DEPLOY_DATABASE"]?.trim() || (isProduction ? "t4g.small" : "t4g.micro"),
    databaseStandby: choose("DEPLOY_DATABASE_STANDBY", isProduction ? ["true", "false"] : ["false", "true"]) === "true",
    stepConcurrency: Number(source["DEPLOY_STEP_CONCURRENCY"]?.trim() || "10"),
    variables: Object.fromEntries(
      Object.entries(source).flatMap(([variable, value]) =>
        /^(AIW_|OPENAI_BASE_URL$|OTEL_)/.test(variable) && value !== undefined && value !== ""
          ? [[variable, value]]
          : [],
      ),
    ),
  };
  if (!Number.isInteger(stage.stepConcurrency) || stage.stepConcurrency < 2)
    problems.push("DEPLOY_STEP_CONCURRENCY: must be a whole number from 2 on");
  if (problems.length > 0)
    throw new Error(
      `The stage cannot be deployed (see docs/deploy.md):\n${problems.map((p) => `  - ${p}`).join("\n")}`,
    );
  return stage;
};
