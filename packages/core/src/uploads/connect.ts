import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { one } from "../sources/get.ts";

/**
 * Connects uploads as a source, untested: once per workspace, with the admin's confirmation that all members may see what any
 * of them uploads (SRC-2); audited.
 * @throws Problem forbidden | confirmation_required | name_taken | uploads_connected | bad_request (name)
 */
export const connect = async (
  ctx: Ctx<Member>,
  input: { readonly name: string; readonly confirmed: boolean },
): Promise<Source> => {
  await requireAdmin(ctx);
  if (!input.confirmed) throw new Problem("confirmation_required", { fields: { confirmed: "required" } });
  const name = readName(input.name, "name");
  const { workspaceId, userId } = ctx.actor;
  try {
    return await inWorkspace(ctx, async (tx) => {
      const [made] = await tx<{ id: string }[]>`
        insert into sources (workspace_id, kind, name, config, confirmed_by, created_by)
        values (${workspaceId}, 'uploads', ${name}, '{}', ${userId}, ${userId}) returning id`;
      if (made === undefined) throw new Error("the database gave no id");
      const entry = {
        workspaceId,
        actor: audit.human(userId),
        objectKind: "source",
        objectId: made.id,
        source: "api",
      };
      await audit.write(tx, { ...entry, event: "source.created", data: { name, kind: "uploads", withSecret: false } });
      await audit.write(tx, { ...entry, event: "source.visibility_confirmed", data: { name } });
      return one(tx, workspaceId, made.id);
    });
  } catch (error) {
    if (isUniqueViolation(error, "sources_uploads")) throw new Problem("uploads_connected", { cause: error });
    if (isUniqueViolation(error, "sources_name"))
      throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
};
