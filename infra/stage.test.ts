import { expect, test } from "vitest";
import { FUNCTIONS, PLANS, SECRETS } from "./functions.ts";
import { readStage } from "./stage.ts";
import { parametersOf, variablesOf } from "./variables.ts";

const GOOD = { DEPLOY_DOMAIN: "ai.example.com", DEPLOY_ALARM_EMAIL: "ops@example.com" };

test("OPS-4 a stage takes streams by function and the product's own variables, and nothing else of the environment", () => {
  const stage = readStage("staging", {
    ...GOOD,
    AIW_CURRENCY: "EUR",
    AIW_EMPTY: "",
    HOME: "/root",
    OPENAI_API_KEY: "sk-x",
  });
  expect(stage).toMatchObject({ streams: "function", nat: "ec2", databaseStandby: false, stepConcurrency: 10 });
  expect(stage.variables).toEqual({ AIW_CURRENCY: "EUR" });
  expect(readStage("production", GOOD)).toMatchObject({ nat: "managed", databaseStandby: true, isProduction: true });
});

test("OPS-6 everything that is wrong with a stage is said at once, before anything is changed", () => {
  const wrong = { DEPLOY_DOMAIN: "https://ai.example.com", DEPLOY_STREAMS: "websocket", DEPLOY_STEP_CONCURRENCY: "1" };
  for (const name of ["DEPLOY_DOMAIN", "DEPLOY_ALARM_EMAIL", "DEPLOY_STREAMS", "DEPLOY_STEP_CONCURRENCY"])
    expect(() => readStage("staging", wrong)).toThrow(name);
});

test("OPS-4 a function is given references to its own secrets, its settings, and what the deployment wires", () => {
  const stage = readStage("staging", { ...GOOD, AIW_LEASE_S: "40", AIW_SESSION_IDLE_S: "600" });
  const step = variablesOf("step", stage, { AIW_BUCKET: "made", AIW_ENV: "production" });
  expect(step).toMatchObject({
    AIW_BUCKET: "made",
    AIW_LEASE_S: "40",
    AIW_SECRET_KEY: "ssm:/aiw/staging/secret-key",
    AIW_DATABASE_STEP_URL: "ssm:/aiw/staging/database-step-url",
  });
  expect(step).not.toHaveProperty("AIW_SESSION_IDLE_S");
  expect(step).not.toHaveProperty("AIW_DATABASE_API_URL");
  for (const name of FUNCTIONS) {
    const secrets = PLANS[name].variables.filter((variable) => SECRETS.includes(variable));
    expect(parametersOf(name, "staging")).toHaveLength(secrets.length);
    for (const secret of secrets) expect(variablesOf(name, stage, {})[secret]).toMatch(/^ssm:\/aiw\/staging\//);
  }
});

test("N87 a switch for development machines is never deployed", () => {
  const stage = readStage("staging", { ...GOOD, AIW_ALLOW_LOCAL: "true" });
  expect(() => variablesOf("step", stage, {})).toThrow(/AIW_ALLOW_LOCAL: for development/);
});
