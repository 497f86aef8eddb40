import type { Human, System } from "@aiw/contract/actors";
import type { GatewayApi, ModelImport, ModelTest } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Job } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import type { SavedGuardrail } from "@aiw/policy/guardrail-map";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";
import type { ClaimedJob } from "../jobs/claim.ts";
import { finish, scopeOf } from "../jobs/finish.ts";
import { open } from "../jobs/open.ts";

/** *Test* (GW-2): asks for a job; while one is under way the same click finds it. The caller rings it. @throws Problem forbidden | not_found */
export function requestTest(ctx: Ctx<Human>, modelId: string): Promise<Job> {
  return request(ctx, "model_test", modelId);
}

/** *Fetch models* (GW-2), likewise. @throws Problem forbidden | not_found */
export function requestImport(ctx: Ctx<Human>, endpointId: string): Promise<Job> {
  return request(ctx, "model_import", endpointId);
}

async function request(ctx: Ctx<Human>, kind: "model_test" | "model_import", subjectId: string): Promise<Job> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const found =
      kind === "model_test"
        ? await tx`
            select from models m join model_endpoints e on e.id = m.endpoint_id
             where m.id = ${subjectId} and m.removed_at is null and e.removed_at is null`
        : await tx`select from model_endpoints where id = ${subjectId} and removed_at is null`;
    if (found.length === 0) throw new Problem("not_found");
    return open(tx, { workspaceId: null, kind, subjectId, createdBy: userId });
  });
}

/** A gateway as a job of the platform asks it: with the key all teams share; that is still sealed. */
export interface GatewayToAsk {
  readonly endpointId: string;
  /** Null: the gateway of the environment. */
  readonly url: string | null;
  readonly api: GatewayApi;
  readonly key: string | null;
  /** The model to test; null: the gateway is asked for its models. */
  readonly model: { readonly name: string; readonly streaming: boolean } | null;
  readonly guardrails: readonly SavedGuardrail[];
}

interface Row {
  readonly id: string;
  readonly url: string | null;
  readonly api: GatewayApi;
  readonly key: string | null;
  readonly name: string | null;
  readonly streaming: boolean | null;
}

/** What the job works with; null when the model or its gateway was removed. */
export async function forWork(ctx: Ctx<System>, job: ClaimedJob): Promise<GatewayToAsk | null> {
  return transaction(ctx.db, scopeOf(job), async (tx) => {
    const [row] = await tx<Row[]>`
      select e.id, e.url, e.api, k.secret as key, m.name, m.streaming
        from model_endpoints e
        left join models m on m.endpoint_id = e.id and m.id = ${job.subjectId} and m.removed_at is null
        left join model_keys k on k.endpoint_id = e.id and k.team_id is null
       where e.removed_at is null and ${job.kind === "model_test" ? tx`m.id is not null` : tx`e.id = ${job.subjectId}`}`;
    if (row === undefined) return null;
    const guardrails = await tx<SavedGuardrail[]>`
      select name, match, direction, user_text as "userText", enabled from guardrail_rules order by created_at, name`;
    const { id: endpointId, url, api, key, name, streaming } = row;
    const model = name === null || streaming === null ? null : { name, streaming };
    return { endpointId, url, api, key, model, guardrails: [...guardrails] };
  });
}

/** Records what came of a test and ends the job; audited with its result. Nothing happens when the job is not this attempt's any more. */
export async function recordTest(ctx: Ctx<System>, job: ClaimedJob, result: ModelTest): Promise<void> {
  await transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: null }))) return;
    await tx`update models set last_test_at = aiw_now(), last_test = ${tx.json(toJson(result))} where id = ${job.subjectId}`;
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.system,
      event: "model.tested",
      objectKind: "model",
      objectId: job.subjectId,
      source: "job",
      data: { ok: result.ok, code: result.code, by: job.createdBy },
    });
  });
}

/** Models of a list that are kept, and the length of their names, so that a gateway cannot fill a row. */
const MAX_LISTED = 500;
const MAX_NAME = 200;

/** Records what a gateway offers, or why it could not be asked, and ends the job. Nothing is added to the models by it. */
export async function recordImport(
  ctx: Ctx<System>,
  job: ClaimedJob,
  found: { readonly names: readonly string[] } | { readonly code: string; readonly message: string },
): Promise<void> {
  const names =
    "names" in found ? found.names.map(storable).filter((name) => name !== "" && name.length <= MAX_NAME) : [];
  const unique = [...new Set(names)].toSorted();
  const result: ModelImport = {
    ok: "names" in found,
    code: "code" in found ? found.code : null,
    message: "message" in found ? storable(found.message) : null,
    models: unique.slice(0, MAX_LISTED),
    cut: unique.length > MAX_LISTED,
  };
  await transaction(ctx.db, scopeOf(job), async (tx) => {
    if (!(await finish(tx, job, { errorCode: null }))) return;
    await tx`
      update model_endpoints set last_import_at = aiw_now(), last_import = ${tx.json(toJson(result))} where id = ${job.subjectId}`;
  });
}

const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Text as a database can hold it. */
export const storable = (text: string): string => text.replaceAll("\u0000", "").toWellFormed();
