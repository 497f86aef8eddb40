import type { Member } from "@aiw/contract/actors";
import { MODEL_CLASSES, type ModelChoice, type OfferedModel, type WorkspaceModels } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import * as audit from "../audit/write.ts";
import { requireAdmin } from "../identity/actors.ts";
import { inWorkspace } from "../identity/scope.ts";
import { type ChoiceRow, choiceData, requireActive, toChoice, toColumns } from "./model.ts";
import { defaultsOf } from "./view.ts";

/** What can be chosen in a workspace, for its members (GW-2). */
export function available(ctx: Ctx<Member>): Promise<WorkspaceModels> {
  return inWorkspace(ctx, (tx) => view(tx, ctx.actor.workspaceId));
}

/**
 * Chooses what chats without a choice of their own are answered by (GW-2); null: the platform's standard. Audited with the
 * choice before.
 * @throws Problem forbidden | bad_request (model) | model_not_active
 */
export async function choose(ctx: Ctx<Member>, choice: ModelChoice): Promise<WorkspaceModels> {
  await requireAdmin(ctx);
  const { workspaceId, userId } = ctx.actor;
  return inWorkspace(ctx, async (tx) => {
    await requireActive(tx, choice);
    const [before] = await tx<ChoiceRow[]>`
      select model_id, model_class from workspaces where id = ${workspaceId} for update`;
    if (before === undefined) throw new Problem("not_found");
    const after = toColumns(choice);
    if (before.model_id !== after.model_id || before.model_class !== after.model_class) {
      await tx`update workspaces set model_id = ${after.model_id}, model_class = ${after.model_class} where id = ${workspaceId}`;
      await audit.write(tx, {
        workspaceId,
        actor: audit.human(userId),
        event: "workspace.updated",
        objectKind: "workspace",
        objectId: workspaceId,
        source: "api",
        data: { ...choiceData(choice), before: toChoice(before) },
      });
    }
    return view(tx, workspaceId);
  });
}

interface Row {
  readonly id: string;
  readonly displayName: string;
  readonly class: OfferedModel["class"];
  readonly tools: boolean;
  readonly contextWindow: number | null;
}

async function view(tx: Tx, workspaceId: string): Promise<WorkspaceModels> {
  const models = await tx<Row[]>`
    select id, display_name as "displayName", class, tools, context_window as "contextWindow" from active_models
     order by lower(display_name), id`;
  const defaults = await defaultsOf(tx);
  const isActive = (id: string | null): boolean => id !== null && models.some((model) => model.id === id);
  const [own] = await tx<(ChoiceRow & { effective: string | null })[]>`
    select model_id, model_class, model_of_v1(id, null) as effective from workspaces where id = ${workspaceId}`;
  if (own === undefined) throw new Problem("not_found");
  const [fast, standard, thorough] = MODEL_CLASSES.map((of) => (isActive(defaults[of]) ? defaults[of] : null));
  return {
    models: [...models],
    classes: { fast: fast ?? null, standard: standard ?? null, thorough: thorough ?? null },
    choice: toChoice(own),
    effective: own.effective,
  };
}
