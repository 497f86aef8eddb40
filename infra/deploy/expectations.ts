import assert from "node:assert/strict";
import { FEED, type FunctionName, FUNCTIONS, NEVER_DEPLOYED, PLANS, SECRETS } from "../functions.ts";
import type { Recorded } from "./mocks.ts";

/** Holds the recorded graph against what is declared (OPS-4, OPS-11). @throws AssertionError that names the resource */
export const examine = (recorded: readonly Recorded[], stage: string, streams: string | undefined): void => {
  const of = (type: string): Recorded[] => recorded.filter((one) => one.type === type);
  const named = (type: string, name: string): Recorded => {
    const found = of(type).find((one) => one.name === name);
    assert.ok(found, `${name} (${type}) is missing; there are ${of(type).map((one) => one.name)}`);
    return found;
  };
  for (const name of FUNCTIONS) {
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const fn = named("aws:lambda/function:Function", `${title}Function`).inputs;
    const plan = PLANS[name];
    assert.equal(fn.runtime, "nodejs24.x", name);
    assert.equal(fn.memorySize, plan.memoryMb, name);
    assert.equal(fn.timeout, plan.timeoutS, name);
    assert.equal(fn.ephemeralStorage.size, plan.diskMb, name);
    assert.equal(fn.layers?.length ?? 0, plan.duckdb ? 1 : 0, name);
    variables(name, fn.environment.variables, stage);
    permissions(name, named("aws:iam/role:Role", `${title}Role`));
    const loop = named("aws:lambda/functionRecursionConfig:FunctionRecursionConfig", `${name}Loop`).inputs;
    assert.equal(loop.recursiveLoop, plan.recursiveLoop, name);
  }
  const mappings = of("aws:lambda/eventSourceMapping:EventSourceMapping");
  assert.equal(mappings.length, FUNCTIONS.filter((name) => PLANS[name].trigger.kind === "queue").length);
  for (const { name, inputs } of mappings) {
    assert.equal(inputs.batchSize, 1, name);
    assert.deepEqual(inputs.functionResponseTypes, ["ReportBatchItemFailures"], name);
    assert.ok(inputs.scalingConfig.maximumConcurrency >= 2, name);
  }
  const queues = of("aws:sqs/queue:Queue").map(({ inputs }) => inputs);
  assert.equal(queues.filter((queue) => queue.redrivePolicy !== undefined).length, 3, "queues with dead letters");
  assert.ok(
    queues.every((queue) => queue.sqsManagedSseEnabled),
    "queues are encrypted",
  );
  const urls = of("aws:lambda/functionUrl:FunctionUrl");
  if (streams === "function") {
    assert.deepEqual(
      urls.map(({ inputs }) => inputs.invokeMode),
      ["RESPONSE_STREAM"],
    );
    const actions = of("aws:lambda/permission:Permission").map(({ inputs }) => inputs.action);
    for (const action of ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"])
      assert.ok(actions.includes(action), action);
  } else {
    assert.deepEqual(urls, []);
    assert.equal(of("aws:ecs/service:Service").length, 1);
    assert.match(JSON.stringify(of("aws:ecs/taskDefinition:TaskDefinition")), /database-listen-url/);
  }
  const database = of("aws:rds/instance:Instance")[0]?.inputs;
  assert.equal(database?.storageEncrypted, true);
  assert.ok((database?.backupRetentionPeriod ?? 0) >= 7);
  assert.ok(of("aws:ssm/parameter:Parameter").every(({ inputs }) => inputs.type === "SecureString"));
  assert.equal(of("aws:cloudwatch/metricAlarm:MetricAlarm").length, 3 * 2 + FUNCTIONS.length * 2 + 1);
  const pages = JSON.stringify(of("aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy"));
  assert.match(pages, /default-src 'none'/);
  for (const type of [
    "bucketServerSideEncryptionConfiguration",
    "bucketLifecycleConfiguration",
    "bucketCorsConfiguration",
  ])
    assert.ok(
      recorded.some((one) => one.type.toLowerCase().startsWith(`aws:s3/${type.toLowerCase()}`)),
      type,
    );
  console.log(`${streams}: ${recorded.length} resources, ${FUNCTIONS.length} functions as declared`);
};

const variables = (name: FunctionName, given: Record<string, string>, stage: string): void => {
  const own = Object.keys(given).filter((key) => !/^(SST_|NODE_|AWS_)/.test(key));
  const declared = new Set<string>([...PLANS[name].variables, "AIW_ENV", "AIW_PUBLIC_URL"]);
  assert.deepEqual(
    own.filter((key) => !declared.has(key)),
    [],
    `${name} is given more than it reads`,
  );
  for (const secret of SECRETS)
    if (secret in given) assert.match(given[secret] ?? "", new RegExp(`^ssm:/aiw/${stage}/`), `${name} holds a secret`);
  for (const local of NEVER_DEPLOYED) assert.ok(!(local in given), `${name}: ${local}`);
};

const permissions = (name: FunctionName, role: Recorded): void => {
  const policies: { policy: string }[] = role.inputs.inlinePolicies ?? [];
  const statements = policies.flatMap(({ policy }) => JSON.parse(policy).statements as Statement[]);
  const granted = new Set(statements.flatMap(({ actions }) => actions));
  const fed = PLANS[name].trigger.kind === "queue" ? FEED : [];
  const declared = new Set([...Object.values(PLANS[name].calls).flat(), ...fed, "ssm:GetParameters"]);
  assert.deepEqual([...granted].sort(), [...declared].sort(), `${name}: what it may do`);
  for (const { actions, resources } of statements)
    assert.ok(!resources.includes("*"), `${name} may ${actions} on everything`);
};

interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}
