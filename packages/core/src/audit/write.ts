import type { JsonObject } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";

/** Who did it. A system actor has no id. */
export interface AuditActor {
  readonly kind: "human" | "agent" | "system";
  readonly id: string | null;
}

export interface AuditEntry {
  /** Null: an event of the platform, such as a sign-in. */
  readonly workspaceId: string | null;
  readonly actor: AuditActor;
  /** `noun.what_happened` (AUD-1). */
  readonly event: string;
  readonly objectKind?: string;
  readonly objectId?: string;
  readonly runId?: string;
  /** What the event came through, such as "api" or "job". */
  readonly source?: string;
  /** Small facts without secrets and without confidential content (AUD-2). */
  readonly data?: JsonObject;
}

export const system: AuditActor = { kind: "system", id: null };
export const human = (userId: string): AuditActor => ({ kind: "human", id: userId });

/** Appends one row in the transaction of what it tells of (AUD-2). */
export async function write(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx`
    insert into audit_events (workspace_id, actor_kind, actor_id, event, object_kind, object_id, run_id, source, data)
    values (${entry.workspaceId}, ${entry.actor.kind}, ${entry.actor.id}, ${entry.event}, ${entry.objectKind ?? null},
            ${entry.objectId ?? null}, ${entry.runId ?? null}, ${entry.source ?? null}, ${tx.json(entry.data ?? {})})`;
}
