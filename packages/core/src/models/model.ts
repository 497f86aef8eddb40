import type { ModelChoice, ModelClass } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { JsonObject } from "@aiw/contract/tools";
import type { Tx } from "@aiw/platform/db";

/** What a key is sealed for: this gateway and this team, or all that have no own (SEC-4, GW-3). */
export const keyContext = (endpointId: string, teamId: string | null): string =>
  `model_key:${endpointId}:${teamId ?? "shared"}`;

/** The two columns in which a workspace or a chat keeps its choice. */
export interface ChoiceRow {
  readonly model_id: string | null;
  readonly model_class: ModelClass | null;
}

export const toChoice = (row: ChoiceRow): ModelChoice => {
  if (row.model_id !== null) return { modelId: row.model_id };
  return row.model_class === null ? null : { class: row.model_class };
};

export const toColumns = (choice: ModelChoice): ChoiceRow => ({
  model_id: choice !== null && "modelId" in choice ? choice.modelId : null,
  model_class: choice !== null && "class" in choice ? choice.class : null,
});

/** A choice as an audit row tells it. */
export const choiceData = (choice: ModelChoice): JsonObject => ({ model: choice });

/**
 * Only what can answer is chosen (GW-2).
 * @throws Problem bad_request (model: invalid) for what is no model at all | model_not_active for one that is switched off or
 *   removed, and for a class without a model
 */
export async function requireActive(tx: Tx, choice: ModelChoice): Promise<void> {
  const { model_id: modelId, model_class: modelClass } = toColumns(choice);
  if (modelId === null && modelClass === null) return;
  const rows = await tx`
    select from active_models m where m.id = coalesce(${modelId}::uuid, (select d.model_id from model_defaults d where d.class = ${modelClass}))`;
  if (rows.length > 0) return;
  const known = modelId === null ? [true] : await tx`select from models where id = ${modelId}`;
  throw new Problem(known.length > 0 ? "model_not_active" : "bad_request", { fields: { model: "invalid" } });
}
