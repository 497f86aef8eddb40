import { defineConfig } from "vitest/config";

const full = process.env["AIW_TEST_FULL"] === "1";
const exclude = ["**/node_modules/**", "**/dist/**", ...(full ? [] : ["**/*.full.test.ts"])];
const chaos = full || process.env["AIW_CHAOS"] === "1";
/** The address of a LocalStack: then what touches queues and objects runs on it, and nothing else (OPS-2). */
const localstack = process.env["AIW_TEST_CLOUD"] ?? "";
const withPostgres = { globalSetup: ["tests/kit/global-setup.ts"], pool: "forks" as const, exclude };

/**
 * unit: pure, no database. flow and crash: real Postgres, one for the whole run. browser: the built product in a browser.
 * The groups run one after another, so that what measures time is not disturbed by what burns it.
 */
export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    projects: localstack === "" ? onTheEmulator() : [onLocalStack()],
  },
});

function onTheEmulator() {
  return [
    {
      test: {
        name: "unit",
        include: [
          "packages/**/*.test.ts",
          "functions/**/*.test.ts",
          "infra/**/*.test.ts",
          "web/src/**/*.test.ts",
          "tests/*.test.ts",
        ],
        exclude,
        pool: "forks",
        isolate: false,
        maxWorkers: 2,
        // Properties over many thousand values, also on a busy machine.
        testTimeout: 30_000,
        sequence: { groupOrder: 0 },
      },
    },
    {
      test: {
        ...withPostgres,
        name: "flow",
        include: ["tests/flow/**/*.test.ts", "tests/promises/**/*.test.ts", "tests/chaos/**/*.test.ts"],
        maxWorkers: 2,
        testTimeout: 30_000,
        hookTimeout: 60_000,
        sequence: { groupOrder: 1 },
      },
    },
    {
      test: {
        ...withPostgres,
        name: "crash",
        include: ["tests/crash/**/*.test.ts"],
        maxWorkers: 1,
        testTimeout: 180_000,
        hookTimeout: 120_000,
        sequence: { groupOrder: 2 },
      },
    },
    // The harnesses of spec 70 in their long form; `npm run chaos`.
    ...(chaos
      ? [
          {
            test: {
              ...withPostgres,
              name: "chaos",
              include: ["tests/chaos/*.chaos.ts"],
              maxWorkers: 1,
              hookTimeout: 120_000,
              sequence: { groupOrder: 4 },
            },
          },
        ]
      : []),
    {
      test: {
        name: "browser",
        include: ["tests/e2e/**/*.test.ts"],
        exclude,
        pool: "forks",
        // A real browser on a shared machine: what fails twice in a row is a fault, and the first failure is still printed.
        retry: 1,
        maxWorkers: 1,
        testTimeout: 180_000,
        hookTimeout: 180_000,
        sequence: { groupOrder: 3 },
      },
    },
  ];
}

function onLocalStack() {
  return {
    test: {
      ...withPostgres,
      name: "localstack",
      include: [
        "tests/localstack/*.test.ts",
        "tests/flow/platform-storage.test.ts",
        "tests/flow/uploads.test.ts",
        "tests/e2e/uploads.test.ts",
        "tests/flow/runner.test.ts",
        "tests/e2e/whole-path.test.ts",
      ],
      maxWorkers: 1,
      testTimeout: 300_000,
      hookTimeout: 180_000,
    },
  };
}
