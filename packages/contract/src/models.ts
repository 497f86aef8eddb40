import { z } from "zod";
import { id, instant } from "./ids.ts";

/** What a model is good for (GW-2). */
export const MODEL_CLASSES = ["fast", "standard", "thorough"] as const;
export const modelClass = z.enum(MODEL_CLASSES);
export type ModelClass = z.infer<typeof modelClass>;

/** Which dialect a gateway speaks (GW-1). */
export const gatewayApi = z.enum(["responses", "chat_completions"]);
export type GatewayApi = z.infer<typeof gatewayApi>;

/**
 * What a workspace or a chat is answered by: a certain model, or whatever the platform's admin set for a class. Null: what
 * the level above says (chat -> workspace -> platform's standard).
 */
export const modelChoice = z.union([z.strictObject({ modelId: id }), z.strictObject({ class: modelClass })]).nullable();
export type ModelChoice = z.infer<typeof modelChoice>;

/** Money for one million tokens, in the platform's currency. */
const price = z.number().min(0).max(1_000_000);
const prices = {
  priceIn: price.nullable(),
  /** Null: cached tokens cost what others do. */
  priceCachedIn: price.nullable(),
  priceOut: price.nullable(),
};

/** Fields of a model that an admin keeps. */
export const modelFields = {
  displayName: z.string().trim().min(1).max(80),
  class: modelClass,
  tools: z.boolean(),
  streaming: z.boolean(),
  /** Tokens; null: not known, the platform's careful assumption holds. */
  contextWindow: z.number().int().min(1_000).max(100_000_000).nullable(),
  ...prices,
  active: z.boolean(),
};

const by = z.object({ id, name: z.string(), displayName: z.string() }).nullable();

/** What came of a tiny turn. `message` are words of the gateway, without keys. */
export const modelTest = z.object({
  ok: z.boolean(),
  /** Why it failed, as a stable word. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** Milliseconds to the first text and to the end. */
  firstTextMs: z.number().int().nullable(),
  totalMs: z.number().int(),
});
export type ModelTest = z.infer<typeof modelTest>;

export const adminModel = z.object({
  id,
  endpointId: id,
  /** As the gateway calls it. */
  name: z.string(),
  displayName: z.string(),
  class: modelClass,
  tools: z.boolean(),
  streaming: z.boolean(),
  contextWindow: z.number().int().nullable(),
  priceIn: z.number().nullable(),
  priceCachedIn: z.number().nullable(),
  priceOut: z.number().nullable(),
  active: z.boolean(),
  version: z.number().int(),
  /** A test was asked for and is not done yet. */
  testing: z.boolean(),
  lastTestAt: instant.nullable(),
  lastTest: modelTest.nullable(),
});
export type AdminModel = z.infer<typeof adminModel>;

/** A key as it is shown: never more than its last four characters. */
const keyMark = z.object({ last4: z.string(), changedAt: instant, changedBy: by });

/** What came of asking a gateway for its models. Names are written by the gateway. */
export const modelImport = z.object({
  ok: z.boolean(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  models: z.array(z.string()),
  /** The list was longer than what is kept. */
  cut: z.boolean(),
});
export type ModelImport = z.infer<typeof modelImport>;

/** A gateway: an address with the API it speaks and the keys for it. */
export const modelEndpoint = z.object({
  id,
  name: z.string(),
  /** Null: the gateway of the environment (OPENAI_BASE_URL), whose key OPENAI_API_KEY is the shared one unless one is stored. */
  url: z.string().nullable(),
  api: gatewayApi,
  sharedKey: keyMark.nullable(),
  /** The team's key wins over the shared one (GW-3). */
  teamKeys: z.array(keyMark.extend({ teamId: id, teamName: z.string() })),
  /** A list of models was asked for and is not there yet. */
  importing: z.boolean(),
  lastImportAt: instant.nullable(),
  lastImport: modelImport.nullable(),
});
export type ModelEndpoint = z.infer<typeof modelEndpoint>;

export const modelDefaults = z.strictObject({ fast: id.nullable(), standard: id.nullable(), thorough: id.nullable() });
export type ModelDefaults = z.infer<typeof modelDefaults>;

/** Everything the page of models shows. */
export const modelAdministration = z.object({
  endpoints: z.array(modelEndpoint),
  models: z.array(adminModel),
  /** Which model answers for a class, platform-wide. */
  defaults: modelDefaults,
});
export type ModelAdministration = z.infer<typeof modelAdministration>;

/** A model as somebody who chooses sees it. */
export const offeredModel = z.object({
  id,
  displayName: z.string(),
  class: modelClass,
  tools: z.boolean(),
  contextWindow: z.number().int().nullable(),
});
export type OfferedModel = z.infer<typeof offeredModel>;

/** What can be chosen in a workspace, and what holds without a choice. */
export const workspaceModels = z.object({
  models: z.array(offeredModel),
  /** The active model of each class; null: there is none. */
  classes: modelDefaults,
  choice: modelChoice,
  /** What a chat without a choice of its own is answered by; null: nothing is left to answer. */
  effective: id.nullable(),
});
export type WorkspaceModels = z.infer<typeof workspaceModels>;

/** A key as somebody types it. */
export const secretKey = z
  .string()
  .min(8)
  .max(4000)
  // A key travels in a header.
  .regex(/^[\x21-\x7e]+$/);
