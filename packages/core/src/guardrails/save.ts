import type { Human } from "@aiw/contract/actors";
import { BUILT_IN_GUARDRAILS, type Guardrail, type GuardrailMatch } from "@aiw/contract/guardrails";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import { guardrailMap, type SavedGuardrail } from "@aiw/policy/guardrail-map";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";

/** The guardrail map in the order in which it is looked at (GW-4). @throws Problem forbidden */
export async function list(ctx: Ctx<Human>): Promise<Guardrail[]> {
  await requirePlatformAdmin(ctx);
  return transaction(ctx.db, { workspaces: [], userId: ctx.actor.userId }, views);
}

/** Own lines there may be: each is looked at for each failed call. */
const MAX_OWN = 200;

/**
 * Adds a line of the map or puts one in the place of another, also of one that came with the product; counts from the next
 * model call on. Audited.
 * @throws Problem forbidden | bad_request (match without a condition, which would never hold) | conflict: there are 200 lines already
 */
export async function save(ctx: Ctx<Human>, line: SavedGuardrail): Promise<Guardrail[]> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  if (Object.keys(line.match).length === 0) throw new Problem("bad_request", { fields: { match: "required" } });
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const match: JsonObject = JSON.parse(JSON.stringify(line.match));
    const [count] = await tx<
      { n: number }[]
    >`select count(*)::integer as n from guardrail_rules where name <> ${line.name}`;
    if ((count?.n ?? 0) >= MAX_OWN) throw new Problem("conflict");
    await tx`
      insert into guardrail_rules (name, match, direction, user_text, enabled, changed_by)
      values (${line.name}, ${tx.json(match)}, ${line.direction}, ${line.userText}, ${line.enabled}, ${userId})
      on conflict (name) do update set match = excluded.match, direction = excluded.direction, user_text = excluded.user_text,
        enabled = excluded.enabled, changed_by = excluded.changed_by, changed_at = aiw_now()`;
    await tell(tx, userId, "guardrail.saved", line.name, {
      match,
      direction: line.direction,
      userText: line.userText,
      enabled: line.enabled,
    });
    return views(tx);
  });
}

/**
 * Removes an own line, or puts one of the product back as it came. Audited.
 * @throws Problem forbidden | not_found
 */
export async function reset(ctx: Ctx<Human>, name: string): Promise<Guardrail[]> {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  return transaction(ctx.db, { workspaces: [], userId }, async (tx) => {
    const rows = await tx`delete from guardrail_rules where name = ${name} returning name`;
    const builtIn = BUILT_IN_GUARDRAILS.some(({ rule }) => rule.name === name);
    if (rows.length === 0 && !builtIn) throw new Problem("not_found");
    if (rows.length > 0) await tell(tx, userId, builtIn ? "guardrail.reset" : "guardrail.removed", name, {});
    return views(tx);
  });
}

interface Row {
  readonly name: string;
  readonly match: GuardrailMatch;
  readonly direction: SavedGuardrail["direction"];
  readonly user_text: string | null;
  readonly enabled: boolean;
  readonly changed_at: Date;
}

async function views(tx: Tx): Promise<Guardrail[]> {
  const rows = await tx<Row[]>`
    select name, match, direction, user_text, enabled, changed_at from guardrail_rules order by created_at, name`;
  const changedAt = new Map(rows.map((row) => [row.name, row.changed_at.toISOString()]));
  return guardrailMap(rows.map(({ user_text: userText, ...row }) => ({ ...row, userText }))).map(
    ({ rule, enabled, builtIn, changed }) => ({
      name: rule.name,
      match: rule.when,
      direction: rule.direction ?? null,
      userText: rule.userText ?? null,
      enabled,
      builtIn,
      changed,
      changedAt: changedAt.get(rule.name) ?? null,
    }),
  );
}

const tell = (tx: Tx, userId: string, event: string, name: string, data: JsonObject): Promise<void> =>
  audit.write(tx, {
    workspaceId: null,
    actor: audit.human(userId),
    event,
    objectKind: "guardrail",
    objectId: name,
    source: "api",
    data,
  });
