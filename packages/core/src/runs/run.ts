import type { SourceLabels } from "@aiw/contract/labels";
import type {
  ApprovalLevel,
  ChatMode,
  JsonObject,
  PolicyDecision,
  PolicyLevel,
  RiskClass,
  StagingDecision,
  WritePolicy,
} from "@aiw/contract/tools";
import type { GatewayApi } from "@aiw/contract/models";
import type { LimitValues } from "@aiw/contract/operation";
import type { SavedGuardrail } from "@aiw/policy/guardrail-map";
import type { AgentSettings } from "@aiw/contract/agents";
import type { CallStatus, EndReason, InvalidReason, RequestStatus, RunLane, RunStatus } from "@aiw/contract/runs";

/** A claimed run: what its row says, and the fence under which alone this step may write (RUN-4). */
export interface ClaimedRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly teamId: string;
  readonly chatId: string | null;
  readonly lane: RunLane;
  /** Of a child: ids of the tools it may use, and its budget (RUN-18). Null: everything the workspace allows, the platform's bound. */
  readonly tools: readonly string[] | null;
  readonly modelCallLimit: number | null;
  readonly startedBy: string;
  readonly fence: number;
  readonly step: number;
  readonly attempt: number;
  readonly toolRounds: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Money so far, in the platform's currency; null: no prices were known. */
  readonly cost: number | null;
  /** Time its steps worked so far, waits not counted, in milliseconds. */
  readonly workMs: number;
  readonly cancelRequested: boolean;
  /** What each source pinned at the run's start (GIT-1), by source id. */
  readonly pins: Readonly<Record<string, JsonObject>>;
  readonly kind: "model" | "tools";
}

export interface LoadedItem {
  readonly runId: string;
  readonly step: number;
  readonly kind: "user" | "assistant" | "reasoning" | "function_call" | "function_call_output";
  /** Another model than the present one brought it. */
  readonly otherModel: boolean;
  /** JSON text of the item. */
  readonly data: string;
}

export interface LoadedCall {
  readonly id: string;
  readonly callId: string;
  readonly position: number;
  readonly step: number;
  readonly wireName: string;
  readonly toolId: string | null;
  readonly sourceId: string | null;
  readonly args: string;
  readonly status: CallStatus;
  readonly result: string | null;
  readonly note: string | null;
  readonly predecessorId: string | null;
}

export interface LoadedApproval {
  readonly id: string;
  readonly toolCallId: string;
  readonly toolId: string;
  readonly sourceId: string | null;
  readonly status: RequestStatus;
  readonly argsText: string;
  /** A person wants it prepared anew because its target changed (APR-19), and how it changed. */
  readonly askedAgain: boolean;
  readonly staleReason: string | null;
  /** Past its time although nobody has published it yet (APR-4). */
  readonly expired: boolean;
  readonly reason: string | null;
  readonly endRun: boolean;
  readonly execFence: number | null;
  readonly invalidReason: InvalidReason | null;
  readonly result: string | null;
  readonly snapshotHash: string;
  /** An input request (APR-9) and its answer, sealed; null: a call is to be approved. */
  readonly input: { readonly sensitive: boolean; readonly response: string | null } | null;
}

/** A child run of this one (RUN-18), by the call it answers. */
export interface LoadedChild {
  readonly runId: string;
  readonly toolCallId: string;
  readonly status: RunStatus;
  readonly errorText: string | null;
  readonly answer: string | null;
}

export interface NewChild {
  readonly runId: string;
  readonly toolCallId: string;
  readonly title: string;
  /** Its task, as the first item of its history. */
  readonly item: string;
  readonly tools: readonly string[];
  readonly maxModelCalls: number;
}

/** What this run asked the person it works for (RUN-16). */
export interface LoadedQuestion {
  readonly id: string;
  readonly toolCallId: string;
  readonly status: "open" | "answered" | "cancelled";
  readonly answer: string | null;
}

export interface NewQuestion {
  readonly id: string;
  readonly toolCallId: string;
  readonly text: string;
  readonly anyone: boolean;
}

/** A sensitive answer given in this chat (APR-10), sealed. */
export interface LoadedSecret {
  readonly approvalId: string;
  readonly response: string;
}

/** A request that is carried out apart (APR-8), as far as the run that put it forward has to know it. */
export interface StagedRequest {
  readonly id: string;
  readonly number: number;
  readonly toolId: string;
  readonly sourceId: string | null;
  readonly argsText: string;
  readonly status: RequestStatus;
  readonly reason: string | null;
}

export interface LoadedTool {
  readonly id: string;
  readonly wireName: string;
  readonly sourceKind: string;
  readonly definitionHash: string;
  readonly riskClass: RiskClass | null;
  readonly decision: PolicyDecision | null;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
  /** Switched on here, and offered by its server. */
  readonly active: boolean;
  /**
   * Of a tool that a server brought (MCP-1): its definition as stored, left out while nobody classified it, what an admin
   * declared, and the hash of the server's instructions. Null or absent: a tool that is code.
   */
  readonly stored?: {
    readonly definition: string | null;
    readonly settings: JsonObject;
    readonly instructionsHash: string | null;
  } | null;
}

export interface LoadedPolicy {
  readonly id: string;
  readonly level: PolicyLevel;
  readonly sourceId: string | null;
  readonly pattern: string;
  readonly decision: StagingDecision;
  readonly approvalLevel: ApprovalLevel | null;
  readonly fourEyes: boolean | null;
  readonly label: string;
  readonly version: number;
  /** When the rule asks (POL-7); null: always. */
  readonly condition: string | null;
}

export interface LoadedSource {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly config: JsonObject;
  /** Sealed; opened only for the length of a call. */
  readonly secret: string | null;
  /** What the secret was sealed for: this source, or the server the platform registered. */
  readonly secretContext: string;
  /** The `sourceKind` of the tools that work here: its kind, for a server with its name. */
  readonly toolSource: string;
  readonly labels: SourceLabels;
  readonly status: string;
}

/** The model that answers now, where it is, and the sealed key that counts for this run's team (GW-2, GW-3). */
export interface LoadedModel {
  readonly id: string;
  /** As the gateway calls it. */
  readonly name: string;
  readonly tools: boolean;
  readonly streaming: boolean;
  /** Tokens. */
  readonly contextWindow: number | null;
  /** Money for one million tokens. */
  readonly priceIn: number | null;
  readonly priceCachedIn: number | null;
  readonly priceOut: number | null;
  readonly endpointId: string;
  /** Null: the gateway of the environment. */
  readonly url: string | null;
  readonly api: GatewayApi;
  readonly key: string | null;
  /** Null: the shared key, or none. */
  readonly keyTeamId: string | null;
}

export interface LoadedMember {
  readonly userId: string;
  readonly displayName: string;
  readonly role: string;
  readonly global: boolean;
  readonly disabled: boolean;
}

export interface LoadedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly teamId: string;
  readonly writePolicy: WritePolicy;
  readonly approvalTtlS: number;
  readonly maxToolRounds: number;
  readonly policyVersion: number;
  readonly chatMode: ChatMode;
  readonly chatTitle: string | null;
  /** Bounds that platform admins set; null: those of the installation (RUN-10). */
  readonly limits: LimitValues;
  /** Confidential sources and untrusted content come together, and nobody lifted the block of outward tools (POL-11). */
  readonly combined: boolean;
}

/** Everything one step has to know, read in one round trip under the run's workspace. */
export interface LoadedRun {
  readonly workspace: LoadedWorkspace;
  /** What it started with (F63); its rules are among `policies`. */
  readonly agent: AgentSettings;
  readonly members: readonly LoadedMember[];
  readonly globalApprovers: readonly string[];
  readonly tools: readonly LoadedTool[];
  readonly policies: readonly LoadedPolicy[];
  readonly sources: readonly LoadedSource[];
  /** Null: none is switched on that could answer. */
  readonly model: LoadedModel | null;
  /** Saved lines of the guardrail map (GW-4). */
  readonly guardrails: readonly SavedGuardrail[];
  /** The calls of the last turn, in call order. */
  readonly calls: readonly LoadedCall[];
  /** All requests of the run. */
  readonly approvals: readonly LoadedApproval[];
  /** Requests this run staged, and the one whose outcome started it. */
  readonly staged: readonly StagedRequest[];
  readonly secrets: readonly LoadedSecret[];
  readonly questions: readonly LoadedQuestion[];
  readonly children: readonly LoadedChild[];
  /** History of the chat up to here, oldest first. */
  readonly items: readonly LoadedItem[];
}

export interface NewItem {
  readonly kind: LoadedItem["kind"];
  readonly callId?: string;
  readonly data: string;
}

export interface NewCall {
  readonly id: string;
  readonly callId: string;
  readonly position: number;
  readonly wireName: string;
  readonly toolId: string | null;
  readonly sourceId: string | null;
  readonly args: string;
  /** What may be shown of arguments that are sealed (APR-10). */
  readonly argsShown?: string;
  readonly argsHash: string;
  readonly riskClass: RiskClass | null;
  readonly note: string | null;
  readonly status: CallStatus;
  readonly result?: string;
  readonly resultBytes?: number;
}

export interface CallUpdate {
  readonly id: string;
  readonly status: CallStatus;
  readonly result?: string;
  readonly resultBytes?: number;
  readonly riskClass?: RiskClass | null;
  readonly decision?: PolicyDecision;
  readonly explanation?: unknown;
  readonly sourceId?: string | null;
  readonly durationMs?: number;
}

export interface NewRequest {
  readonly id: string;
  readonly toolCallId: string;
  readonly callId: string;
  readonly sourceId: string | null;
  readonly toolId: string;
  readonly title: string;
  readonly snapshot: string;
  readonly snapshotHash: string;
  readonly args: string;
  readonly form: string;
  readonly formVersion: number;
  readonly preview: string;
  readonly preconditions: string;
  readonly definitionHash: string;
  readonly policyVersion: number;
  readonly level: ApprovalLevel;
  readonly fourEyes: boolean;
  readonly riskClass: RiskClass;
  readonly explanation: string;
  readonly modelNote: string | null;
  readonly allowedByPolicy: boolean;
  readonly ttlS: number;
  readonly executeWithinS: number;
  readonly predecessorId: string | null;
  /** What the workspace wants its approvers to read. */
  readonly message: string | null;
  /** An input request (APR-9). */
  readonly responseLabel?: string;
  readonly sensitive?: boolean;
  /** What may be shown of a request that is sealed (APR-10), as JSON text. */
  readonly shown?: string;
  /** Staged (APR-8): its number as told to the model, the run that carries it out, the call that was answered. */
  readonly number?: number;
  readonly runId?: string;
  readonly stagedCallId?: string;
}

/** The run of a staged call, made together with its request (`run_stage_v1`). */
export interface NewExecution {
  readonly runId: string;
  readonly toolCallId: string;
  readonly stagedCallId: string;
  readonly callId: string;
  readonly title: string;
  readonly toolId: string;
  readonly wireName: string;
  readonly sourceId: string | null;
  readonly riskClass: RiskClass | null;
  readonly decision: PolicyDecision;
  readonly explanation: unknown;
  readonly args: string;
  readonly argsShown?: string;
  /** The call as an item of the run's own history. */
  readonly item: string;
}

export interface Settle {
  readonly id: string;
  readonly status: RequestStatus;
  readonly invalidReason?: InvalidReason;
  readonly result?: string;
  readonly facts?: JsonObject;
  readonly executedHash?: string;
  readonly reconciled?: boolean;
  /** Written only if the change is. */
  readonly event: NewEvent;
  readonly audit: NewAudit;
}

/** A preparation a person asked for that could not be made now; the request stays open (APR-19). */
export interface Unprepared {
  readonly id: string;
  readonly event: NewEvent;
  readonly audit: NewAudit;
}

export interface NewEvent {
  readonly type: string;
  readonly data: object;
}

export interface NewAudit {
  readonly actorKind: "human" | "agent" | "system";
  readonly actorId?: string | null;
  readonly event: string;
  readonly objectKind?: string;
  readonly objectId?: string;
  readonly source?: string;
  readonly data?: object;
}

/** What a step wants to have happened. Committed whole under the fence, or not at all. */
export interface StepOutcome {
  readonly status: RunStatus;
  /** Recorded with the step; default is the status. */
  readonly outcome?: string;
  readonly endReason?: EndReason;
  readonly errorCode?: string;
  readonly errorText?: string;
  /** The same step again, as a further attempt (RUN-12). */
  readonly keepAttempts?: boolean;
  readonly wakeAfterMs?: number;
  readonly items?: readonly NewItem[];
  readonly calls?: readonly NewCall[];
  readonly callUpdates?: readonly CallUpdate[];
  readonly executions?: readonly NewExecution[];
  readonly questions?: readonly NewQuestion[];
  readonly children?: readonly NewChild[];
  readonly requests?: readonly NewRequest[];
  readonly settles?: readonly Settle[];
  readonly unprepared?: readonly Unprepared[];
  readonly events?: readonly NewEvent[];
  readonly audit?: readonly NewAudit[];
  readonly message?: { readonly id: string; readonly text: string; readonly withheld?: boolean };
  /** The requests this step looked at and the state it saw: a later change sends the run on (RUN-14). */
  readonly seen?: Readonly<Record<string, RequestStatus>>;
  readonly toolRounds?: number;
  readonly modelCalls?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly contextFill?: number;
  readonly model?: string;
  readonly modelId?: string;
  /** Money this step cost, added to the run's. */
  readonly cost?: number;
  readonly pins?: Readonly<Record<string, JsonObject>>;
  readonly policyVersion?: number;
}

export interface Committed {
  readonly status: RunStatus;
  readonly lastSeq: number;
  /** Runs to ring, this one among them when it goes on. */
  readonly ring: readonly string[];
}

/** The step lost its lease: another function took over, nothing of this one was written (RUN-4). */
export class LeaseLost extends Error {
  constructor() {
    super("the lease of this run was lost");
    this.name = "LeaseLost";
  }
}
