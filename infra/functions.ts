import type { EnvName } from "@aiw/platform/env";

/**
 * What each deployed function is allowed and given, as plain data (OPS-4): read by the deployment, which grants exactly this, and
 * by the tests, which compare it with the calls and variables the functions were seen to use.
 */
export const FUNCTIONS = ["api", "step", "jobs", "ingest", "sweep"] as const;
export type FunctionName = (typeof FUNCTIONS)[number];
export type QueueName = "steps" | "jobs" | "ingest";

/** A queue and its dead-letter queue are two resources: what may be done with one says nothing about the other. */
export type ResourceName = QueueName | `${QueueName}-dead` | "bucket";

export interface FunctionPlan {
  /** What invokes it: its own address with streamed answers, a queue by single messages, or the clock. */
  readonly trigger:
    | { readonly kind: "url" }
    | { readonly kind: "queue"; readonly queue: QueueName }
    | { readonly kind: "schedule"; readonly rate: string };
  /** Its own process and those it starts: one for DuckDB, one that fetches from Git (their bounds are in packages/connectors). */
  readonly memoryMb: number;
  /** Room under /tmp, for copies of tables. */
  readonly diskMb: number;
  readonly timeoutS: number;
  /** Whether it starts the process with DuckDB in it, which lies in a layer. */
  readonly duckdb: boolean;
  /** Calls it makes itself; what the platform does to feed it is not among them. */
  readonly calls: Readonly<Partial<Record<ResourceName, readonly string[]>>>;
  /** Variables it reads: all that exist are read from the stage's settings or wired by the deployment, no others are given. */
  readonly variables: readonly EnvName[];
  /**
   * It stands on a cycle of a function and the queue that feeds it: without leave the platform takes a long run for a runaway and
   * drops the 17th message of one trace (OPS-11). A run's own limits (RUN-10) are the guard.
   */
  readonly recursiveLoop: "Allow" | "Terminate";
}

/** Of these only a reference is deployed, `ssm:/name`; the function reads the value when it starts. */
export const SECRETS: readonly EnvName[] = [
  "AIW_DATABASE_API_URL",
  "AIW_DATABASE_STEP_URL",
  "AIW_DATABASE_LISTEN_URL",
  "AIW_SECRET_KEY",
  "OPENAI_API_KEY",
];

/** Of a development machine: no function is ever deployed with one of them. */
export const NEVER_DEPLOYED: readonly EnvName[] = [
  "AWS_ENDPOINT_URL",
  "AIW_SQS_ENDPOINT",
  "AIW_ALLOW_LOCAL",
  "AIW_MCP_ALLOW_LOCAL",
  "AIW_DEMO_PASSWORD",
  "AIW_BUCKET_PUBLIC_URL",
];

/** Set by the platform itself. */
export const GIVEN_BY_THE_PLATFORM: readonly EnvName[] = ["AWS_REGION"];

/** Read by the checks of every start (N87), whatever the function does. */
export const CHECKED_AT_START: readonly EnvName[] = ["AIW_ENV", "AIW_PUBLIC_URL"];

/** With what the platform feeds a function from its queue, in the function's own name. */
export const FEED = [
  "sqs:ChangeMessageVisibility",
  "sqs:DeleteMessage",
  "sqs:GetQueueAttributes",
  "sqs:GetQueueUrl",
  "sqs:ReceiveMessage",
];
const SEND = ["sqs:SendMessage"];
/** Without the right to list, a key that is not there is answered like one that may not be read. */
const READ_AND_WRITE_OBJECTS = ["s3:GetObject", "s3:ListBucket", "s3:PutObject"];
/** Looks at the letters of a queue, puts one back or takes it away (RUN-20). */
const HANDLE_LETTERS = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"];
const REPORTING: readonly EnvName[] = ["AIW_LOG_LEVEL", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const OUTSIDE: readonly EnvName[] = ["AIW_GIT_ALLOWED_HOSTS", "AIW_MCP_ALLOWED_HOSTS", "AIW_MODEL_ALLOWED_HOSTS"];
const GATEWAY: readonly EnvName[] = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
const LIMITS: readonly EnvName[] = [
  "AIW_EXECUTE_WITHIN_S",
  "AIW_MAX_IDENTICAL_CALLS",
  "AIW_MAX_MODEL_CALLS",
  "AIW_MAX_RUN_TOKENS",
  "AIW_MAX_RUN_WALL_S",
  "AIW_TOOL_RESULT_MAX_BYTES",
];

export const PLANS: Readonly<Record<FunctionName, FunctionPlan>> = {
  api: {
    trigger: { kind: "url" },
    memoryMb: 512,
    diskMb: 512,
    timeoutS: 90,
    duckdb: false,
    calls: {
      steps: ["sqs:GetQueueAttributes", ...SEND],
      jobs: ["sqs:GetQueueAttributes", ...SEND],
      ingest: ["sqs:GetQueueAttributes", ...SEND],
      "steps-dead": HANDLE_LETTERS,
      "jobs-dead": HANDLE_LETTERS,
      "ingest-dead": HANDLE_LETTERS,
      // To write is what the addresses need that it signs for uploads (UPL-1).
      bucket: ["s3:ListBucket", "s3:PutObject"],
    },
    variables: [
      "AIW_APPROVAL_TTL_S",
      "AIW_BUCKET",
      "AIW_CURRENCY",
      "AIW_DATABASE_API_URL",
      "AIW_INGEST_QUEUE_URL",
      "AIW_JOBS_QUEUE_URL",
      ...REPORTING,
      "AIW_MAX_TOOL_ROUNDS",
      "AIW_MAX_TOOL_ROUNDS_LIMIT",
      "AIW_MODEL",
      "AIW_SECRET_KEY",
      "AIW_SESSION_IDLE_S",
      "AIW_SESSION_MAX_S",
      "AIW_STEP_QUEUE_URL",
      "AIW_UPLOAD_MAX_BYTES",
      "AIW_UPLOAD_QUOTA_BYTES",
      ...LIMITS,
      ...OUTSIDE,
    ],
    recursiveLoop: "Terminate",
  },
  step: {
    trigger: { kind: "queue", queue: "steps" },
    memoryMb: 2048,
    diskMb: 1024,
    timeoutS: 900,
    duckdb: true,
    calls: { steps: SEND, bucket: READ_AND_WRITE_OBJECTS },
    variables: [
      "AIW_BUCKET",
      "AIW_DATABASE_STEP_URL",
      "AIW_HEARTBEAT_S",
      "AIW_HISTORY_MAX_TOKENS",
      "AIW_LEASE_S",
      ...REPORTING,
      "AIW_MAX_REJECTIONS",
      "AIW_MODEL_IDLE_S",
      "AIW_MODEL_TURN_S",
      "AIW_PUSH_S",
      "AIW_SECRET_KEY",
      "AIW_FUNCTION_S",
      "AIW_STEPS_PER_MESSAGE",
      "AIW_STEP_ATTEMPTS",
      "AIW_STEP_QUEUE_URL",
      "AIW_STEP_S",
      "AIW_TOOL_CALL_S",
      ...GATEWAY,
      ...LIMITS,
      ...OUTSIDE,
    ],
    recursiveLoop: "Allow",
  },
  jobs: {
    trigger: { kind: "queue", queue: "jobs" },
    memoryMb: 2048,
    diskMb: 1024,
    timeoutS: 120,
    duckdb: true,
    calls: { steps: SEND, bucket: READ_AND_WRITE_OBJECTS },
    variables: [
      "AIW_BUCKET",
      "AIW_DATABASE_STEP_URL",
      ...REPORTING,
      "AIW_SECRET_KEY",
      "AIW_STEP_QUEUE_URL",
      ...GATEWAY,
      ...OUTSIDE,
    ],
    recursiveLoop: "Allow",
  },
  ingest: {
    trigger: { kind: "queue", queue: "ingest" },
    memoryMb: 2048,
    diskMb: 2048,
    timeoutS: 300,
    duckdb: true,
    calls: { bucket: ["s3:DeleteObject", "s3:GetObject", "s3:ListBucket", "s3:PutObject"] },
    variables: ["AIW_BUCKET", "AIW_DATABASE_STEP_URL", ...REPORTING, "AIW_UPLOAD_QUOTA_BYTES"],
    recursiveLoop: "Terminate",
  },
  sweep: {
    trigger: { kind: "schedule", rate: "rate(1 minute)" },
    memoryMb: 256,
    diskMb: 512,
    timeoutS: 75,
    duckdb: false,
    calls: { steps: SEND, jobs: SEND, ingest: SEND, bucket: ["s3:DeleteObject", "s3:ListBucket"] },
    variables: [
      "AIW_BUCKET",
      "AIW_DATABASE_STEP_URL",
      "AIW_DOORBELL_GRACE_S",
      "AIW_INGEST_QUEUE_URL",
      "AIW_JOBS_QUEUE_URL",
      ...REPORTING,
      "AIW_STEP_ATTEMPTS",
      "AIW_STEP_QUEUE_URL",
    ],
    recursiveLoop: "Terminate",
  },
};
