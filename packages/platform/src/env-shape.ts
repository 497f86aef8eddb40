import { z } from "zod";
import { parseKeyRing } from "./vault.ts";

/** Whole number within bounds, as text in the environment. */
const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

/** Seconds, fractions allowed. */
const seconds = (min = 0.1, max = 31_536_000) => {
  const error = `must be a number of seconds from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}(\.\d{1,3})?$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

const flag = z
  .enum(["true", "false", "1", "0"], "must be true or false")
  .transform((value) => value === "true" || value === "1");

const url = (protocols: readonly string[], what: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), `must be ${what}`);

const httpUrl = url(["http:", "https:"], "an address that begins with http:// or https://");
const postgresUrl = url(["postgres:", "postgresql:"], "an address like postgres://user:password@host:5432/database");

const keyRing = z.string().superRefine((value, context) => {
  try {
    parseKeyRing(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : "is not readable";
    context.addIssue({ code: "custom", message: `${why}; make a key with: openssl rand -base64 32` });
  }
});

const hostList = z
  .string()
  .default("")
  .transform((value) =>
    value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  )
  .refine((hosts) => hosts.every(isHostEntry), "must be host or host:port, comma-separated, without https:// and path");

function isHostEntry(entry: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[^\s/@:?#[\]]+)(:\d{1,5})?$/i.test(entry) && URL.canParse(`https://${entry}/`);
}

/** One entry per variable: how its text becomes a value. Documented in docs/configuration.md, which a test compares. */
export const shape = {
  AIW_ENV: z
    .enum(["development", "production", "test"], "must be development, production or test")
    .default("development"),
  AIW_HOST: z.string().default("127.0.0.1"),
  AIW_PORT: whole(0, 65_535).default(3000),
  AIW_PUBLIC_URL: httpUrl.transform((value) => value.replace(/\/+$/, "")).optional(),
  AIW_DATA_DIR: z.string().default(".data"),
  AIW_LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], "must be debug, info, warn, error or silent")
    .default("info"),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.transform((value) => value.replace(/\/+$/, "")).optional(),

  AIW_DATABASE_ADMIN_URL: postgresUrl.optional(),
  AIW_DATABASE_API_URL: postgresUrl.optional(),
  AIW_DATABASE_STEP_URL: postgresUrl.optional(),
  AIW_DATABASE_LISTEN_URL: postgresUrl.optional(),

  AIW_SECRET_KEY: keyRing.optional(),

  AWS_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/, "must be a region name such as eu-central-1")
    .default("eu-central-1"),
  AWS_ENDPOINT_URL: httpUrl.optional(),
  AIW_LOCALSTACK: z.enum(["docker", "python"], "must be docker or python").optional(),
  AIW_SQS_ENDPOINT: httpUrl.optional(),
  AIW_STEP_QUEUE_URL: httpUrl.optional(),
  AIW_JOBS_QUEUE_URL: httpUrl.optional(),
  AIW_INGEST_QUEUE_URL: httpUrl.optional(),
  AIW_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be a bucket name")
    .optional(),
  AIW_BUCKET_PUBLIC_URL: httpUrl.optional(),

  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: httpUrl.optional(),
  AIW_MODEL: z.string().trim().min(1).max(200).default("gpt-6-luna"),
  AIW_MODEL_ALLOWED_HOSTS: hostList,
  AIW_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, "must be a currency such as USD or EUR")
    .default("USD"),

  AIW_GIT_ALLOWED_HOSTS: hostList,
  AIW_ALLOW_LOCAL: flag.default(false),
  AIW_MCP_ALLOWED_HOSTS: hostList,
  AIW_MCP_ALLOW_LOCAL: flag.default(false),

  AIW_LEASE_S: seconds().default(30),
  AIW_HEARTBEAT_S: seconds().default(10),
  AIW_MODEL_IDLE_S: seconds().default(60),
  AIW_MODEL_TURN_S: seconds().default(600),
  AIW_TOOL_CALL_S: seconds().default(60),
  AIW_PUSH_S: seconds().default(300),
  AIW_STEP_S: seconds().default(780),
  AIW_FUNCTION_S: seconds(1, 900).default(900),
  AIW_QUEUE_VISIBILITY_S: whole(1, 43_200).default(900),
  AIW_DOORBELL_GRACE_S: seconds().default(15),

  AIW_STEPS_PER_MESSAGE: whole(1, 1_000).default(1),
  AIW_STEP_ATTEMPTS: whole(1, 100).default(5),
  AIW_MAX_TOOL_ROUNDS: whole(1, 1_000).default(24),
  AIW_MAX_TOOL_ROUNDS_LIMIT: whole(1, 1_000).default(100),
  AIW_MAX_MODEL_CALLS: whole(1, 100_000).default(200),
  AIW_MAX_IDENTICAL_CALLS: whole(2, 1_000).default(10),
  AIW_MAX_RUN_TOKENS: whole(1, 1_000_000_000).default(2_000_000),
  AIW_MAX_RUN_WALL_S: seconds().default(3_600),
  AIW_HISTORY_MAX_TOKENS: whole(1_000, 10_000_000).default(60_000),
  AIW_TOOL_RESULT_MAX_BYTES: whole(1_024, 1_048_576).default(65_536),
  AIW_UPLOAD_MAX_BYTES: whole(1, 5_368_709_120).default(52_428_800),
  AIW_UPLOAD_QUOTA_BYTES: whole(1, 1_099_511_627_776).default(1_073_741_824),
  AIW_TEAM_MAX_PARALLEL_RUNS: whole(1, 10_000).default(4),

  AIW_APPROVAL_TTL_S: whole(30, 604_800).default(86_400),
  AIW_EXECUTE_WITHIN_S: whole(1, 604_800).default(900),
  AIW_MAX_REJECTIONS: whole(1, 100).default(3),

  AIW_SESSION_IDLE_S: whole(60, 31_536_000).default(43_200),
  AIW_SESSION_MAX_S: whole(60, 31_536_000).default(604_800),
  AIW_DEMO_PASSWORD: z.string().min(8, "must have at least 8 characters").optional(),

  AIW_FAULTS: z.string().optional(),
};
