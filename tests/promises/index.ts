/**
 * Which test proves which promise (DESIGN, house rule 9): fault model, invariants and figures of the guarantees, and the
 * negative tests of the security model. An id without its subsystem names the area of work it waits for.
 */

/** A test: the file and a part of its title. */
export type Proof = readonly [file: string, title: string];

/** Work that has its own issue. */
export const AREAS = [
  "links and notifications",
  "pull requests and chat branches",
  "sources: Postgres and uploads",
  "agents in YAML",
  "memory and skills",
  "single sign-on",
  "audit and security pages",
  "deployment",
  "engine and gate in depth",
] as const;
export type Area = (typeof AREAS)[number];

export interface Promised {
  readonly id: string;
  readonly by: readonly Proof[];
  /** What is missing, or missing in part where there are proofs. */
  readonly waits?: Area;
}

const STEP_TABLE: Proof = ["tests/crash/step-table.test.ts", "the main job survives a stop at every named point"];
const ONE_WINNER = "tests/promises/one-winner.test.ts";
const LEASE = "tests/flow/runs-lease.test.ts";
const RECOVERY = "tests/flow/approvals-recovery.test.ts";
const EXECUTION = "tests/flow/approvals-execution.test.ts";
const APPROVALS = "tests/flow/approvals.test.ts";
const ANSWERS = "tests/flow/approvals-answers.test.ts";
const CANCEL = "tests/flow/runs-cancel.test.ts";
const CALLS = "tests/flow/runs-calls.test.ts";
const SWEEP = "tests/flow/sweep.test.ts";
const STREAM = "tests/flow/http-stream.test.ts";
const UPLOADS = "tests/flow/uploads.test.ts";
const DUCKDB = "packages/connectors/src/uploads/query.test.ts";
const IMPORTS = "packages/connectors/src/uploads/import.test.ts";
const HTTP = "tests/flow/http.test.ts";
const IDENTITY = "tests/flow/identity.test.ts";
const MATRIX = "tests/flow/access-matrix.test.ts";
const FAIRNESS = "tests/flow/fairness.test.ts";
const PUSH = "tests/flow/git-push.test.ts";
const GIT_READ = "tests/flow/git-read.test.ts";
const MCP_WRITE = "tests/flow/mcp-write.test.ts";
const MCP_READ = "tests/flow/mcp-read.test.ts";
const MCP_CHANGES = "tests/flow/mcp-changes.test.ts";
const DISCOVER = "tests/flow/mcp-discover.test.ts";
const EGRESS = "packages/platform/src/egress.test.ts";
const GATE = "tests/flow/gate.test.ts";
const NEGATIVE = "tests/promises/gate-negative.test.ts";
const BAD_INPUT = "tests/promises/bad-input.test.ts";
const SCOPE = "tests/promises/rows-in-scope.test.ts";
const SHOWN = "tests/e2e/shown-bytes.test.ts";
const STATES = "tests/promises/run-states.test.ts";
const G4: Proof = ["tests/chaos/g4.test.ts", "approval races"];
const G6: Proof = ["tests/chaos/g6.test.ts", "a model that obeys the attacker in every call"];
const G7: Proof = ["tests/chaos/g7.test.ts", "orders in whatever a model reads"];
const G8: Proof = ["tests/chaos/g8.test.ts", "shown is sent, for generated arguments"];

const by = (id: string, ...proofs: readonly Proof[]): Promised => ({ id, by: proofs });
const partly = (id: string, waits: Area, ...proofs: readonly Proof[]): Promised => ({ id, by: proofs, waits });
const waits = (area: Area, ...ids: readonly string[]): readonly Promised[] =>
  ids.map((id) => ({ id, by: [], waits: area }));

const FAULTS: readonly Promised[] = [
  by("F1", STEP_TABLE),
  by("F2", STEP_TABLE, [LEASE, "F2 F3 RUN-6"]),
  by("F3", [LEASE, "F2 F3 RUN-6"], ["web/src/data/reduce.test.ts", "F3: what a dead attempt streamed"]),
  by("F4", STEP_TABLE, ["tests/flow/model.test.ts", "RUN-12 F4"]),
  by("F5", STEP_TABLE, [SWEEP, "RUN-5 F5"]),
  by("F6", STEP_TABLE, [LEASE, "F31 RUN-4"]),
  by("F7", STEP_TABLE),
  by("F8", [CALLS, "F8 RUN-14"]),
  by("F9", STEP_TABLE, [STREAM, "F81: without a single notification"]),
  by("F10", [LEASE, "F10 M4"], [HTTP, "F10: %s refuses text"], [BAD_INPUT, "whatever is wrong with a body"]),
  by("F11", ["tests/flow/step-wall.test.ts", "RUN-23"], [LEASE, "RUN-6 RUN-20 a step that keeps killing"]),
  by("F12", ["packages/engine/src/all-settled.test.ts", "F12"], [LEASE, "I6 RUN-4"]),
  by(
    "F13",
    ["tests/sandbox.test.ts", "F13 M9"],
    [UPLOADS, "F13 a file that ends the whole process"],
    ["tests/flow/git-process.test.ts", "one that takes too much memory is killed"],
  ),
  by(
    "F14",
    ["packages/platform/src/guard.test.ts", "M2 %s is logged"],
    ["tests/crash/process-kill.test.ts", "RUN-11 streams cut"],
  ),
  by("F15", STEP_TABLE, [RECOVERY, "RUN-7 F15 F16"]),
  by("F16", STEP_TABLE, [RECOVERY, "RUN-7 F15 F16"]),
  by("F17", [RECOVERY, "F17 F18"]),
  by("F18", [RECOVERY, "F17 F18"], [MCP_WRITE, "F97 a status that says nothing"]),
  by("F19", [RECOVERY, "F19 RUN-7"]),
  by("F20", [LEASE, "F20 a worker that slept"]),
  by("F21", [LEASE, "RUN-6 RUN-23 a heartbeat"]),
  ...waits("pull requests and chat branches", "F22", "F23"),
  by("F24", [EXECUTION, "F24"], [PUSH, "(F24)"]),
  by("F25", [EXECUTION, "F25"], [PUSH, "a branch with another commit is left alone (F25)"]),
  by("F26", [EXECUTION, "F26"], [PUSH, "(F26)"]),
  by("F27", ["tests/crash/step-table.test.ts", "a recovery that dies itself"]),
  by("F28", [MCP_WRITE, "F28"]),
  by("F29", [MCP_READ, "F29"]),
  by("F30", [LEASE, "F30"]),
  by("F31", [LEASE, "F31"]),
  by(
    "F32",
    [LEASE, "F31 RUN-4 late, duplicate and forged"],
    [STATES, "RUN-1 the database allows exactly the transitions of a run"],
  ),
  by("F33", [SWEEP, "RUN-5 F5"]),
  by("F34", ["tests/flow/runner.test.ts", "F34"], ["tests/flow/lambda.test.ts", "fails an unreadable message alone"]),
  by("F35", [LEASE, "F35"], ["tests/flow/platform-storage.test.ts", "ends in the dead letters"]),
  by("F36", ["tests/flow/chats.test.ts", "although the doorbell cannot be sent"], [SWEEP, "RUN-5 F5"]),
  ...waits("links and notifications", "F37"),
  by("F38", ["tests/flow/platform-storage.test.ts", "a message that is not removed comes again"]),
  by("F39", [LEASE, "F30"], [LEASE, "I6 RUN-4"]),
  by("F40", [LEASE, "F40"]),
  by("F41", [LEASE, "F35 a message that cannot be read"], ["tests/flow/platform-listen.test.ts", "F82"]),
  by("F42", [ONE_WINNER, "F42"], G4),
  by("F43", [ONE_WINNER, "F43"], G4),
  by("F44", [ONE_WINNER, "F44"]),
  by("F45", [ONE_WINNER, "F45"], G4),
  by("F46", [CANCEL, "F46"], G4),
  by("F47", [CANCEL, "F47"]),
  by("F48", [EXECUTION, "F48"], ["tests/flow/approvals-drift.test.ts", "F48"], G4),
  by("F49", [EXECUTION, "APR-3 $name"], [MCP_CHANGES, "APR-3 N39"], G4),
  by("F50", [EXECUTION, "APR-3 $name"], G4),
  by("F51", [GATE, "F51"], [EXECUTION, "APR-3 the requester who lost the right"]),
  partly("F52", "single sign-on", [APPROVALS, "F52"]),
  by("F53", [ONE_WINNER, "F53"]),
  by("F54", [NEGATIVE, "F54"], [APPROVALS, "F54"]),
  by("F55", [ANSWERS, "F55"], ["packages/policy/src/freeze.test.ts", "F55"]),
  by("F56", [APPROVALS, "APR-2 N23"], ["tests/flow/stage.test.ts", "without a model call"]),
  by("F57", [ONE_WINNER, "F57 %s is not listed"], [ONE_WINNER, "F57 left open"]),
  by("F58", [SWEEP, "F58"]),
  by("F59", [ANSWERS, "F59"]),
  by("F60", ["tests/flow/runs.test.ts", "finished calls are never made again"], [CALLS, "F8 RUN-14"]),
  by("F61", [EXECUTION, "F61"]),
  by("F62", ["tests/flow/inputs.test.ts", "F62"]),
  by("F63", ["tests/flow/agents.test.ts", "F63"]),
  ...waits("links and notifications", "F64", "F65"),
  by("F66", [CALLS, "F66"]),
  by("F67", [LEASE, "RUN-12 F40"], [ONE_WINNER, "APR-4 F45"]),
  by("F68", [SWEEP, "F68"]),
  by("F69", [LEASE, "I6 RUN-4"]),
  by("F70", [SWEEP, "F68"], [LEASE, "F46 a step that fails after the intent"]),
  by("F71", ["tests/crash/process-kill.test.ts", "the whole stack killed"], [LEASE, "I6 RUN-4"]),
  by("F72", [FAIRNESS, "F72"]),
  by("F73", [FAIRNESS, "F73"], [CANCEL, "F73"]),
  by("F74", [FAIRNESS, "F74"]),
  by("F75", ["tests/flow/children.test.ts", "F75"]),
  by("F76", [CANCEL, "RUN-10 RUN-15"]),
  by("F77", STEP_TABLE),
  ...waits("deployment", "F78"),
  by("F79", ["tests/flow/platform-db.test.ts", "a serialization failure runs the function again"]),
  by("F80", [STREAM, "F80"], [HTTP, "F80"]),
  by("F81", [STREAM, "F81"]),
  by("F82", ["tests/flow/platform-listen.test.ts", "F82"]),
  by("F83", [STREAM, "F83"]),
  by("F84", [STREAM, "F84"]),
  by("F85", [STREAM, "F85"]),
  ...waits("audit and security pages", "F86"),
  by("F87", [STREAM, "answers 204 to who has it all"]),
  by("F88", [UPLOADS, "F88 an import stopped at"], [UPLOADS, "F88 objects without a row are swept"]),
  partly("F89", "pull requests and chat branches", [PUSH, "twenty at once make one branch"]),
  by("F90", ["tests/flow/git-process.test.ts", "and the next one works (N67)"]),
  partly(
    "F91",
    "deployment",
    ["tests/flow/platform-migrate.test.ts", "an older product refuses the database of a newer one"],
    ["tests/flow/approvals-receipt.test.ts", "approved before the upgrade"],
  ),
  by("F92", [EXECUTION, "APR-3 $name"], G4),
  by("F93", ["tests/flow/model-gateway.test.ts", "F93"], [CALLS, "F93"]),
  by("F94", ["tests/flow/model.test.ts", "F94"]),
  by("F95", ["packages/engine/src/history.test.ts", "an older answer that was cut"]),
  by("F96", [MCP_WRITE, "F96"], [MCP_READ, "F96"]),
  by("F97", [MCP_WRITE, "F97"]),
];

const NEGATIVES: readonly Promised[] = [
  by("N1", [MATRIX, "N1: every endpoint"], [MATRIX, "N1: %s tells nobody"]),
  by("N2", [MATRIX, "N2"]),
  partly(
    "N3",
    "sources: Postgres and uploads",
    [MATRIX, "N2"],
    ["tests/flow/chats.test.ts", "of another workspace is a conflict"],
  ),
  by("N4", [MATRIX, "APR-5: a global approver"], [NEGATIVE, "N38"]),
  by("N5", [STREAM, "N5"]),
  by("N6", [STREAM, "N6"], ["tests/flow/identity-admin.test.ts", "N6"]),
  by("N7", [MATRIX, "SEC-1"], [CANCEL, "RUN-8 RUN-22"]),
  by("N8", [HTTP, "N8"], [BAD_INPUT, "N8"]),
  partly(
    "N9",
    "agents in YAML",
    ["tests/flow/workspaces.test.ts", "N9"],
    ["tests/flow/policies.test.ts", "below the platform a rule only tightens"],
  ),
  by("N10", [HTTP, "N10"]),
  by("N11", [SCOPE, "N11"]),
  ...waits("single sign-on", "N12"),
  by("N13", [IDENTITY, "N13"]),
  by("N14", [IDENTITY, "N14"]),
  by("N15", [HTTP, "N15"]),
  by("N16", [IDENTITY, "N16"]),
  by("N17", [IDENTITY, "N17"]),
  by("N18", [IDENTITY, "IDN-2: a one-time password lets in"], ["tests/flow/identity-admin.test.ts", "N18"]),
  ...waits("single sign-on", "N19"),
  by("N20", [IDENTITY, "N20"], ["tests/flow/api-keys.test.ts", "N20"]),
  by("N21", [HTTP, "N21"], ["tests/flow/lambda.test.ts", "the packed API streams status and headers"]),
  by("N22", [HTTP, "N22"]),
  by("N23", G8, ["tests/chaos/g8.test.ts", "end to end"], [SHOWN, "N23"]),
  by("N24", [NEGATIVE, "N24 a member twice"], ["packages/policy/src/json.test.ts", "N24"]),
  by("N25", [NEGATIVE, "N25 2^53+1"], [BAD_INPUT, "N25 a number that a double would round"]),
  by("N26", [SHOWN, "N26"], ["web/src/ui/visible-text.test.ts", "N26"], ["packages/policy/src/reveal.test.ts", "N26"]),
  by("N27", [SHOWN, "N27"]),
  by("N28", [SHOWN, "N28"]),
  by(
    "N29",
    ["tests/flow/git-propose.test.ts", "what a plain diff hides is noted"],
    [GIT_READ, "links, submodules, LFS pointers"],
  ),
  by("N30", [NEGATIVE, "N30"]),
  by("N31", [APPROVALS, "N31"], [PUSH, "N31"]),
  by("N32", ["tests/promises/untrusted-text.test.ts", "N32"]),
  by("N33", [NEGATIVE, "N33"], [APPROVALS, "N33"], ["packages/policy/src/freeze.test.ts", "N33"]),
  by("N34", [APPROVALS, "N34"], ["packages/policy/src/freeze.test.ts", "N34"]),
  by("N35", [ONE_WINNER, "N35"]),
  ...waits("links and notifications", "N36"),
  by("N37", [ANSWERS, "N37"]),
  by("N38", [NEGATIVE, "N38"], ["tests/flow/api-keys.test.ts", "N38"]),
  by("N39", [MCP_CHANGES, "N39 %s"], [MCP_WRITE, "N39"]),
  by("N40", [DISCOVER, "N40"]),
  by("N41", [MCP_CHANGES, "N41"], [DISCOVER, "N41"], G7),
  by("N42", [DISCOVER, "N42"], ["packages/connectors/src/mcp/schema.test.ts", "N42"]),
  by("N43", [NEGATIVE, "N43"], ["packages/policy/src/json.test.ts", "N43"], [BAD_INPUT, "N43"]),
  by("N44", [MCP_WRITE, "N44"]),
  by("N45", [MCP_CHANGES, "N45"]),
  by("N46", [GATE, "N46"], G6),
  partly("N47", "sources: Postgres and uploads", G6, G7),
  by("N48", G7, ["tests/e2e/whole-path.test.ts", "N48"]),
  by("N49", ["tests/flow/source-labels.test.ts", "confidential sources and untrusted content"]),
  by("N50", ["tests/flow/mcp-egress.test.ts", "N50"], [MCP_CHANGES, "N50"]),
  by("N51", [MCP_READ, "N51"]),
  by("N52", [EGRESS, "N52"]),
  ...waits("sources: Postgres and uploads", ..."N53 N54 N55 N56".split(" ")),
  by("N57", [DUCKDB, "the gate refuses every way out"], [DUCKDB, "nothing outside is read"]),
  by("N58", [DUCKDB, "the gate refuses every way out"]),
  by("N59", [DUCKDB, "M9, N59"]),
  partly(
    "N60",
    "sources: Postgres and uploads",
    [IMPORTS, "UPL-1 N60"],
    [UPLOADS, "SEC-7 N60"],
    [UPLOADS, "UPL-3 N60"],
  ),
  by("N61", [IMPORTS, "N61 M16"], [IMPORTS, "N61: numbers keep every digit"]),
  ...waits("sources: Postgres and uploads", "N62"),
  partly("N63", "audit and security pages", ["web/src/ui/query-result-model.test.ts", "N63"]),
  ...waits("sources: Postgres and uploads", "N64"),
  by("N65", ["tests/flow/git-propose.test.ts", "(N65)"], [PUSH, "N65"], [GIT_READ, "N65"]),
  by("N66", [PUSH, "N66"], ["tests/flow/git-connect.test.ts", "N66"]),
  by("N67", ["tests/flow/git-connect.test.ts", "N67"], ["packages/connectors/src/git/pack-check.test.ts", "N67"]),
  by("N68", [GIT_READ, "N68"]),
  by("N69", [GIT_READ, "N69"], ["packages/connectors/src/git/glob.test.ts", "N69"]),
  by("N70", [GIT_READ, "N70"]),
  by(
    "N71",
    ["packages/policy/src/condition/evaluate.test.ts", "N71"],
    ["packages/policy/src/condition/parse.test.ts", "N71"],
    ["packages/policy/src/decide.condition.test.ts", "N71"],
  ),
  by(
    "N72",
    ["tests/flow/conditions.test.ts", "N72"],
    ["packages/policy/src/condition/condition.property.test.ts", "N72"],
  ),
  ...waits("agents in YAML", "N73"),
  ...waits("memory and skills", "N74"),
  ...waits("agents in YAML", "N75"),
  by(
    "N76",
    ["web/src/ui/markdown-model.test.ts", "raw HTML comes out as text"],
    ["web/src/ui/markdown-model.test.ts", "an image becomes its address"],
  ),
  partly("N77", "links and notifications", [SHOWN, "SRC-4 hidden characters in the result of a tool"]),
  ...waits("links and notifications", "N78"),
  partly(
    "N79",
    "audit and security pages",
    ["tests/flow/sensitive.test.ts", "stands in no table, event, stream or log line"],
    ["tests/flow/models.test.ts", "no key stands in any table"],
    ["tests/flow/traces.test.ts", "nothing in it was said by anybody"],
  ),
  by("N80", [HTTP, "SEC-5: errors are problem details"], [HTTP, "SEC-5: a failure of our own"]),
  by("N81", ["tests/flow/inputs.test.ts", "N81"], ["tests/flow/sensitive.test.ts", "N81"]),
  by(
    "N82",
    ["packages/platform/src/vault.test.ts", "a new first key opens what the old one sealed"],
    ["tests/flow/models.test.ts", "after a rotation every stored secret"],
  ),
  partly("N83", "audit and security pages", [SCOPE, "N83"]),
  partly("N84", "audit and security pages", [HTTP, "SEC-6"], ["tests/flow/api-keys.test.ts", "SEC-6"]),
  by("N85", [HTTP, "SEC-3, N22"]),
  by("N86", [NEGATIVE, "N86"], [LEASE, "F31 RUN-4"]),
  by("N87", ["packages/platform/src/env.test.ts", "N87"], ["packages/platform/src/fault.test.ts", "N87"]),
];

const FIGURES: readonly Promised[] = [
  by(
    "G1",
    ["tests/crash/chaos-g1.test.ts", "G1"],
    STEP_TABLE,
    ["tests/crash/again-table.test.ts", "APR-19 I1 I7"],
    ["tests/stop-points.test.ts", "G1"],
  ),
  by("G2", ["tests/crash/chaos-g2.test.ts", "G2"], ["tests/crash/step-table.test.ts", "G2"]),
  by("G3", ["tests/crash/chaos-g3.test.ts", "G3"], ["tests/crash/process-kill.test.ts", "20 random kill -9"]),
  by("G4", G4),
  by(
    "G5",
    ["tests/crash/chaos-g5.test.ts", "G5"],
    [STATES, "RUN-1 the database allows exactly the transitions of a run"],
  ),
  by("G6", G6),
  by("G7", G7),
  by("G8", G8, ["tests/chaos/g8.test.ts", "end to end"], [SHOWN, "G8"]),
  by("G9", [MATRIX, "N1: %s tells nobody"]),
  ...waits("sources: Postgres and uploads", "G10", "G11"),
  by("G12", [EGRESS, "N52"]),
  partly("G13", "deployment", [STREAM, "fifty clients"], ["tests/flow/streams.full.test.ts", "G13"]),
  partly("G14", "deployment", ["tests/flow/api-keys.test.ts", "G14"], ["tests/flow/load.full.test.ts", "G14"]),
  by("G15", [FAIRNESS, "F72"], ["tests/flow/load.full.test.ts", "G15"]),
  by("G16", ["tests/flow/backlog.test.ts", "G16"], ["tests/flow/backlog.full.test.ts", "G16"]),
  ...waits("audit and security pages", "G17"),
  by("G18", ["tests/crash/chaos-g3.test.ts", "G18"]),
  by("G19", ["tests/planted-bugs.test.ts", "G19"]),
  ...waits("audit and security pages", "G20"),
];

const INVARIANTS: readonly Promised[] = [
  by("I1", STEP_TABLE, [MCP_WRITE, "F96 F97 RUN-7"], G4),
  by("I2", [APPROVALS, "APR-2 N23"], ["tests/chaos/g8.test.ts", "end to end"], G6),
  by("I3", STEP_TABLE, ["tests/flow/events.test.ts", "I3"]),
  by("I4", ["tests/flow/events.test.ts", "I4"], ["tests/crash/process-kill.test.ts", "RUN-11 streams cut"]),
  by("I5", [STATES, "RUN-1 the database allows"], ["tests/promises/audit-of-the-main-path.test.ts", "I5"]),
  by("I6", [LEASE, "I6"]),
  by("I7", [ONE_WINNER, "APR-4 F42"], [STATES, "I7"], G4),
  by(
    "I8",
    ["tests/promises/audit-of-the-main-path.test.ts", "I8"],
    ["tests/flow/traces.test.ts", "I8"],
    ["tests/flow/logs.test.ts", "I8"],
    ["tests/flow/sensitive.test.ts", "stands in no table, event, stream or log line"],
  ),
  by("I9", [MATRIX, "N1: %s tells nobody"], [SCOPE, "N11"], [NEGATIVE, "I9"]),
  by("I10", ["packages/engine/src/history.test.ts", "I10"], [CALLS, "I10"]),
];

export const PROMISES: readonly Promised[] = [...FAULTS, ...NEGATIVES, ...FIGURES, ...INVARIANTS];
