import type { System } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction, type Tx } from "@aiw/platform/db";
import type { Vault } from "@aiw/platform/vault";
import { responseContext, SEALED } from "../approvals/sealed.ts";
import * as audit from "../audit/write.ts";
import { secretContext as serverContext } from "../mcp-servers/secret.ts";
import { keyContext } from "../models/model.ts";
import { secretContext as sourceContext } from "../sources/secret.ts";

/** What came of a rotation, in secrets. */
export interface Rotation {
  readonly resealed: number;
  /** Sealed with the newest key already. */
  readonly current: number;
  /**
   * Texts of requests, calls and histories that hold a sensitive answer (APR-10) under an older key. They are frozen: that key
   * has to stay in the ring as long as they are kept.
   */
  readonly frozen: number;
  /** Kinds and ids of those that no key of the ring opens; they are left as they are. */
  readonly unreadable: readonly string[];
}

interface Sealed {
  readonly id: string;
  readonly secret: string;
  readonly context: string;
}

/** One kind of stored secrets: what there is, and how one is replaced. */
interface Shelf {
  readonly kind: string;
  read(tx: Tx): Promise<Sealed[]>;
  replace(tx: Tx, id: string, before: string, after: string): Promise<unknown>;
}

const SHELVES: readonly Shelf[] = [
  {
    kind: "source",
    read: async (tx) =>
      (
        await tx<{ id: string; secret: string }[]>`select id, secret from sources where secret is not null order by id`
      ).map((row) => ({ ...row, context: sourceContext(row.id) })),
    replace: (tx, id, before, after) =>
      tx`update sources set secret = ${after} where id = ${id} and secret = ${before}`,
  },
  {
    kind: "mcp_server",
    read: async (tx) =>
      (
        await tx<
          { id: string; secret: string }[]
        >`select id, secret from mcp_servers where secret is not null order by id`
      ).map((row) => ({ ...row, context: serverContext(row.id) })),
    replace: (tx, id, before, after) =>
      tx`update mcp_servers set secret = ${after} where id = ${id} and secret = ${before}`,
  },
  {
    kind: "response",
    read: async (tx) =>
      (
        await tx<{ id: string; secret: string }[]>`
          select id, response as secret from approvals where response is not null order by id`
      ).map((row) => ({ ...row, context: responseContext(row.id) })),
    replace: (tx, id, before, after) =>
      tx`update approvals set response = ${after} where id = ${id} and response = ${before}`,
  },
  {
    kind: "model_key",
    read: async (tx) =>
      (
        await tx<{ id: string; secret: string; endpoint_id: string; team_id: string | null }[]>`
          select id, secret, endpoint_id, team_id from model_keys order by id`
      ).map(({ id, secret, endpoint_id: endpointId, team_id: teamId }) => ({
        id,
        secret,
        context: keyContext(endpointId, teamId),
      })),
    replace: (tx, id, before, after) =>
      tx`update model_keys set secret = ${after} where id = ${id} and secret = ${before}`,
  },
];

/**
 * Seals every stored secret anew that is not sealed with the newest key of the ring (SEC-4), so that the old key can go. For
 * the operator's connection. May run while the product works and may be repeated: what somebody replaced meanwhile is left
 * alone. Audited with numbers.
 * @throws Error when the role of the connection does not see the rows of all workspaces
 */
export async function rotate(ctx: Ctx<System>, vault: Vault): Promise<Rotation> {
  return transaction(ctx.db, { workspaces: [] }, async (tx) => {
    await requireFullSight(tx);
    const counted = {
      resealed: 0,
      current: 0,
      frozen: await frozenUnderOldKeys(tx, vault),
      unreadable: new Array<string>(),
    };
    for (const shelf of SHELVES) {
      for (const { id, secret, context } of await shelf.read(tx)) {
        const plain = vault.needsReseal(secret) ? await vault.open(secret, context).catch(() => null) : undefined;
        if (plain === undefined) counted.current += 1;
        else if (plain === null) counted.unreadable.push(`${shelf.kind} ${id}`);
        else {
          await shelf.replace(tx, id, secret, await vault.seal(plain, context));
          counted.resealed += 1;
        }
      }
    }
    await audit.write(tx, {
      workspaceId: null,
      actor: audit.system,
      event: "secrets.rotated",
      source: "cli",
      data: { ...counted, unreadable: counted.unreadable.length },
    });
    return counted;
  });
}

async function frozenUnderOldKeys(tx: Tx, vault: Vault): Promise<number> {
  const like = `${SEALED}%`;
  const rows = await tx<{ text: string }[]>`
    select t.text from approvals a cross join lateral unnest(array[a.args_text, a.form, a.preview, a.preconditions, a.snapshot]) t(text)
     where t.text like ${like}
    union all select args_text from tool_calls where args_text like ${like}
    union all select data from run_items where data like ${like}`;
  return rows.filter(({ text }) => vault.needsReseal(text.slice(SEALED.length))).length;
}

/** A role below row-level security would find nothing to do and say that all is done. */
async function requireFullSight(tx: Tx): Promise<void> {
  const [role] = await tx<{ full: boolean }[]>`
    select rolsuper or rolbypassrls as full from pg_roles where rolname = current_user`;
  if (role?.full !== true)
    throw new Error("the role of this connection must be a superuser or have the attribute BYPASSRLS");
}
