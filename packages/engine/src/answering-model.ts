import type { LoadedModel, LoadedRun } from "@aiw/core/runs";
import { keyContext } from "@aiw/core/models";
import type { Gateway } from "@aiw/model/gateway";
import { ModelError, type TurnUsage } from "@aiw/model/turn";
import { fp } from "@aiw/platform/fault";
import { VaultError } from "@aiw/platform/vault";
import { activeGuardrails } from "@aiw/policy/guardrail-map";
import type { EngineDeps } from "./deps.ts";

/** The model that answers this turn, and the way to it. */
export interface AnsweringModel {
  readonly model: LoadedModel;
  readonly gateway: Gateway;
}

/**
 * Opens the gateway of the model that the rows name at this moment, with the team's key or the shared one (GW-2, GW-3), and
 * with the guardrail map as it stands (GW-4): what an admin changes holds from the next turn on.
 * @throws ModelError `model_missing` | `key_missing` | `key_unreadable`
 */
export const answeringModel = async (deps: EngineDeps, loaded: LoadedRun): Promise<AnsweringModel> => {
  const { model } = loaded;
  if (model === null)
    throw new ModelError({
      kind: "refused",
      code: "model_missing",
      message: "No model is switched on that could answer here. A platform admin sets one on the page of models.",
    });
  const gateway = deps.gateways.open({
    url: model.url,
    api: model.api,
    apiKey: await keyOf(deps, model),
    guardrails: activeGuardrails(loaded.guardrails),
  });
  return { model, gateway };
};

const keyOf = async (deps: EngineDeps, model: LoadedModel): Promise<string | null> => {
  const { key, endpointId, keyTeamId } = model;
  if (key === null) return null;
  try {
    return await fp("model.key", () => deps.vault.open(key, keyContext(endpointId, keyTeamId)));
  } catch (error) {
    // Anything else may be over with the next attempt.
    if (!(error instanceof VaultError)) throw error;
    deps.log.error("the key of a gateway cannot be opened", { endpointId, error });
    throw new ModelError({
      kind: "refused",
      code: "key_unreadable",
      message: "The stored key of this gateway cannot be read any more. A platform admin sets it again.",
    });
  }
};

/** Tokens the model can take; where that is not known, a careful assumption. */
export const windowOf = (deps: EngineDeps, model: LoadedModel | null): number =>
  model?.contextWindow ?? deps.limits.contextWindowTokens;

const MILLION = 1_000_000;

/** Money for a turn in the platform's currency (AI-6); null: the prices are not known. */
export const costOf = (model: LoadedModel, usage: TurnUsage): number | null => {
  if (model.priceIn === null || model.priceOut === null) return null;
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const input = (usage.inputTokens - cached) * model.priceIn + cached * (model.priceCachedIn ?? model.priceIn);
  return (input + usage.outputTokens * model.priceOut) / MILLION;
};
