import type { Member } from "@aiw/contract/actors";
import type { Upload } from "@aiw/contract/uploads";
import type { Ctx } from "@aiw/platform/ctx";
import { inWorkspace } from "../identity/scope.ts";
import type { UploadLimits } from "./create.ts";
import { usedBytes, views } from "./view.ts";

export interface UploadList extends UploadLimits {
  readonly items: Upload[];
  readonly sourceId: string | null;
  readonly usedBytes: number;
}

/** Uploads of the workspace and the room that is left, for every member (UPL-3). */
export const list = async (ctx: Ctx<Member>, { maxFileBytes, quotaBytes }: UploadLimits): Promise<UploadList> =>
  inWorkspace(ctx, async (tx) => {
    const { workspaceId } = ctx.actor;
    const [source] = await tx<{ id: string }[]>`
      select id from sources where workspace_id = ${workspaceId} and kind = 'uploads' and removed_at is null`;
    const items = await views(tx, ctx.actor, null);
    return {
      items,
      sourceId: source?.id ?? null,
      usedBytes: await usedBytes(tx, workspaceId),
      quotaBytes,
      maxFileBytes,
    };
  });
