import type { AuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject, JsonValue, ToolDefinition } from "@aiw/contract/tools";
import { z } from "zod";
import { commitSha } from "@aiw/contract/ids";
import { createEgress } from "@aiw/platform/egress";
import type {
  CallContext,
  Connector,
  PinOutcome,
  PrepareOutcome,
  SourceAccess,
  ToolResult,
} from "../connector/index.ts";
import { changesOf } from "./change.ts";
import { testGitSource } from "./connection-test.ts";
import { probeProposal, pushProposal, recheckProposal, type Delivery } from "./deliver.ts";
import { describeSource } from "./describe.ts";
import { GitFailure, Refusal } from "./failure.ts";
import { DEFAULT_LIMITS, type GitLimits } from "./limits.ts";
import { listDir } from "./list-dir.ts";
import { previewOf } from "./preview.ts";
import { FORM_VERSION, freeze, preconditionsOf } from "./proposal.ts";
import { rehearseProposal } from "./rehearse.ts";
import { readFile } from "./read-file.ts";
import { findTarget } from "./refs.ts";
import type { GitEgress, GitEgressSettings, Remote } from "./remote.ts";
import { refusal } from "./result.ts";
import { search } from "./search.ts";
import type { Snapshot } from "./snapshot.ts";
import { SnapshotStore, type SnapshotBucket } from "./snapshot-store.ts";
import { accessKey, configOf, openRemote, readGitConfig } from "./source.ts";
import { GIT_TOOLS, listDirArgs, proposeChangeArgs, readArgs, readFileArgs, searchArgs } from "./tools.ts";
import { fp } from "@aiw/platform/fault";

export { DEFAULT_LIMITS, type GitLimits } from "./limits.ts";
export type { GitEgressSettings } from "./remote.ts";
export type { SnapshotBucket } from "./snapshot-store.ts";
export { GIT_TOOLS } from "./tools.ts";

export interface GitConnectorOptions {
  /** What may be reached. The connector and the process it fetches in each make their own guard from it (SRC-3). */
  readonly egress: GitEgressSettings;
  readonly bucket: SnapshotBucket;
  readonly limits?: Partial<GitLimits>;
  /** Certificates of a private authority, PEM (GIT-2). */
  readonly ca?: string;
}

/** What a run pins: the commit all its reading tools see, and the branch a proposal is meant for (GIT-1). */
const pinSchema = z.object({ commit: commitSha, target: z.string() });
type Pin = z.infer<typeof pinSchema>;

/**
 * Git over smart HTTP (GIT-1, GIT-8). Nothing touches a disk: what a run reads is one snapshot per commit, kept in
 * object storage; what it writes is one commit, computed here and pushed once. Fetching runs in a process of its own.
 */
export const createGitConnector = (options: GitConnectorOptions): Connector => new GitConnector(options);

class GitConnector implements Connector {
  readonly kind = "git";
  readonly pushes = true;
  readonly tools: readonly ToolDefinition[] = GIT_TOOLS;
  private readonly egress: GitEgress;
  private readonly egressSettings: GitEgressSettings;
  private readonly limits: GitLimits;
  private readonly ca: string | undefined;
  private readonly store: SnapshotStore;
  private readonly heads = new Map<string, { readonly pin: Pin; readonly until: number }>();

  constructor(options: GitConnectorOptions) {
    this.egress = createEgress(options.egress);
    this.egressSettings = options.egress;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.ca = options.ca;
    this.store = new SnapshotStore(options.bucket, this.limits);
  }

  readConfig(input: JsonValue): JsonObject {
    return readGitConfig(input, this.egress);
  }

  async testConnection(source: SourceAccess, signal: AbortSignal): ReturnType<Connector["testConnection"]> {
    return testGitSource(source, () => this.open(source, signal), this.store);
  }

  async pin(source: SourceAccess, signal: AbortSignal, anew = false): Promise<PinOutcome> {
    try {
      const key = accessKey(source);
      const known = anew ? undefined : this.heads.get(key);
      if (known !== undefined && known.until > performance.now()) return { ok: true, pin: known.pin };
      const remote = this.open(source, signal);
      const target = await fp("git.pin_target", () => findTarget(remote, configOf(source).branch));
      await fp("git.pin_fetch", () => this.store.get(source.id, target.commit, target.ref, remote));
      const pin = { commit: target.commit, target: target.ref };
      this.rememberHead(key, pin);
      return { ok: true, pin };
    } catch (error) {
      if (error instanceof GitFailure) return { ok: false, text: error.detail };
      throw error;
    }
  }

  async describe(context: CallContext): ReturnType<Connector["describe"]> {
    const pin = pinOf(context);
    return describeSource(await this.snapshot(context, pin), context.source, pin.target);
  }

  async read(call: AuthorisedCall, context: CallContext): Promise<ToolResult> {
    return this.answering(async () => {
      const args = parseJson(call.argsText);
      const snapshot = await this.snapshot(context, pinOf(context));
      return this.readWith(call.toolId, args, snapshot, context);
    }, refusal);
  }

  async prepare(tool: ToolDefinition, args: JsonObject, context: CallContext): Promise<PrepareOutcome> {
    return this.answering<PrepareOutcome>(
      async () => {
        if (tool.id !== "git.propose_change") throw new Refusal(`There is no writing tool ${tool.id}.`);
        return this.prepareChange(args, context);
      },
      (text, later) => ({ ok: false, text, ...(later ? { later } : {}) }),
    );
  }

  async rehearse(tool: ToolDefinition, form: string, context: CallContext): Promise<JsonObject | null> {
    return tool.id === "git.propose_change" ? rehearseProposal(form, this.delivery(context)) : null;
  }

  async recheck(form: string, preconditions: JsonObject, context: CallContext): ReturnType<Connector["recheck"]> {
    const outcome = await recheckProposal(form, preconditions, this.delivery(context));
    // The target moved: what was known of it is old, and the next run must not propose against it again.
    if (!outcome.ok) this.heads.delete(accessKey(context.source));
    return outcome;
  }

  async write(call: AuthorisedCall, context: CallContext): ReturnType<Connector["write"]> {
    return pushProposal(call, this.delivery(context));
  }

  async probe(call: AuthorisedCall, context: CallContext): ReturnType<Connector["probe"]> {
    return probeProposal(call, this.delivery(context));
  }

  private async readWith(
    toolId: string,
    args: JsonValue,
    snapshot: Snapshot,
    context: CallContext,
  ): Promise<ToolResult> {
    const maxBytes = context.maxResultBytes;
    switch (toolId) {
      case "git.list_dir":
        return listDir(snapshot, readArgs(listDirArgs, args), maxBytes);
      case "git.read_file":
        return readFile(snapshot, readArgs(readFileArgs, args), maxBytes);
      case "git.search":
        return search(snapshot, readArgs(searchArgs, args), {
          maxBytes,
          searchMs: this.limits.searchMs,
          signal: context.signal,
        });
      default:
        throw new Refusal(`There is no reading tool ${toolId}.`);
    }
  }

  private async prepareChange(input: JsonObject, context: CallContext): Promise<PrepareOutcome> {
    const args = readArgs(proposeChangeArgs, input);
    const pin = pinOf(context);
    const snapshot = await this.snapshot(context, pin);
    const changes = changesOf(snapshot, args, this.limits);
    const proposal = await fp("git.freeze", () =>
      freeze(snapshot, changes, {
        runId: context.runId,
        sourceId: context.source.id,
        url: configOf(context.source).url,
        target: pin.target,
        title: args.title,
        description: args.description,
      }),
    );
    return {
      ok: true,
      prepared: {
        form: JSON.stringify(proposal),
        formVersion: FORM_VERSION,
        preview: previewOf(snapshot, proposal, context.source.name),
        preconditions: preconditionsOf(proposal),
      },
    };
  }

  private open(source: SourceAccess, signal: AbortSignal): Remote {
    const { egress, egressSettings, limits, ca } = this;
    return openRemote(source, signal, { egress, egressSettings, limits, ca });
  }

  private delivery(context: CallContext): Delivery {
    return { source: context.source, remote: this.open(context.source, context.signal), store: this.store };
  }

  private snapshot(context: CallContext, pin: Pin): Promise<Snapshot> {
    return fp("git.snapshot", () =>
      this.store.get(context.source.id, pin.commit, pin.target, this.open(context.source, context.signal)),
    );
  }

  private rememberHead(key: string, pin: Pin): void {
    const now = performance.now();
    for (const [other, { until }] of this.heads) if (until <= now) this.heads.delete(other);
    this.heads.set(key, { pin, until: now + this.limits.headTtlMs });
  }

  /** What the model asked wrongly and what a server did not give are answers, not exceptions. */
  private async answering<T>(work: () => Promise<T>, asAnswer: (text: string, later: boolean) => T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal) return asAnswer(error.message, false);
      if (error instanceof GitFailure) return asAnswer(error.detail, true);
      throw error;
    }
  }
}

const pinOf = (context: CallContext): Pin => {
  const pin = pinSchema.safeParse(context.pin);
  if (!pin.success) throw new GitFailure("source_protocol", "This run has no pinned commit for this source.");
  return pin.data;
};

const parseJson = (text: string): JsonValue => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("The arguments are not valid JSON.");
  }
};
