import type { Member } from "@aiw/contract/actors";
import { Problem } from "@aiw/contract/problem";
import type { Source } from "@aiw/contract/views";
import type { Ctx } from "@aiw/platform/ctx";
import { isUniqueViolation } from "@aiw/platform/db";
import { lastFour, type Vault } from "@aiw/platform/vault";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { readName } from "../identity/names.ts";
import { inWorkspace } from "../identity/scope.ts";
import { type AddressCheck, readAddress } from "./address.ts";
import { one } from "./get.ts";
import { secretContext } from "./secret.ts";

export interface SourceEdges {
  readonly vault: Vault;
  readonly egress: AddressCheck;
}

export interface NewSource {
  readonly kind: "git";
  readonly name: string;
  readonly url: string;
  /** Null: the server's default branch. */
  readonly branch?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly token?: string | null | undefined;
  readonly confirmed: boolean;
}

/**
 * Connects a source, untested (SRC-2). The admin confirms that all members may see its data; that is audited. The token
 * is sealed for this row and only its last four characters are kept readable (SEC-4).
 * Its name is the only one in the workspace, whatever case and blanks; that of a removed source is free again.
 * @throws Problem forbidden | confirmation_required | source_url_invalid | source_host_not_allowed | bad_request (name, branch,
 * username) | name_taken
 */
export async function create(ctx: Ctx<Member>, input: NewSource, edges: SourceEdges): Promise<Source> {
  await requireAdmin(ctx);
  if (!input.confirmed) throw new Problem("confirmation_required", { fields: { confirmed: "required" } });
  const name = readName(input.name, "name");
  const url = readAddress(input.url, edges.egress);
  const branch = input.branch ?? null;
  if (branch !== null && !isBranchName(branch)) throw new Problem("bad_request", { fields: { branch: "invalid" } });
  // Basic credentials cannot hold a colon in the name (RFC 7617).
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[:\u0000-\u001f\u007f]/.test(input.username ?? ""))
    throw new Problem("bad_request", { fields: { username: "invalid" } });
  const { userId, workspaceId } = ctx.actor;
  const token = input.token ?? null;
  try {
    return await inWorkspace(ctx, async (tx) => {
      const [fresh] = await tx<{ id: string }[]>`select uuidv7() as id`;
      if (fresh === undefined) throw new Error("the database gave no id");
      const { id } = fresh;
      const sealed = token === null ? null : await edges.vault.seal(token, secretContext(id));
      const config = { url, branch, username: input.username ?? null };
      await tx`
        insert into sources (id, workspace_id, kind, name, config, secret, secret_last4, confirmed_by, created_by)
        values (${id}, ${workspaceId}, ${input.kind}, ${name}, ${tx.json(config)}, ${sealed},
                ${token === null ? null : lastFour(token)}, ${userId}, ${userId})`;
      const entry = { workspaceId, actor: audit.human(userId), objectKind: "source", objectId: id, source: "api" };
      await audit.write(tx, {
        ...entry,
        event: "source.created",
        data: { name, kind: input.kind, url, branch, withSecret: token !== null },
      });
      await audit.write(tx, { ...entry, event: "source.visibility_confirmed", data: { name } });
      return one(tx, workspaceId, id);
    });
  } catch (error) {
    if (isUniqueViolation(error, "sources_name"))
      throw new Problem("name_taken", { fields: { name: "taken" }, cause: error });
    throw error;
  }
}

/** Git's own rules for a branch name (`git check-ref-format`), without the exotic ones. */
function isBranchName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!/^[^\u0000-\u0020\u007f~^:?*[\\-][^\u0000-\u0020\u007f~^:?*[\\]*$/.test(name)) return false;
  if (name === "@" || name.includes("..") || name.includes("@{") || name.endsWith(".")) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
