import { GIT_TOOLS } from "@aiw/connectors/git";
import { UPLOAD_TOOLS } from "@aiw/connectors/uploads";
import type { ToolDefinition } from "@aiw/contract/tools";

/** A tool of the platform's own, and whether a workspace has it switched on until it says otherwise. */
export interface NativeTool {
  readonly definition: ToolDefinition;
  readonly sourceKind: string;
  readonly kind: "native";
  readonly defaultActive: boolean;
}

/** GIT-8: proposals are off until a workspace wants them. */
const OFF = new Set(["git.propose_change"]);

/** Every tool this version brings; registered when a version starts to run (POL-4, POL-6). */
export const NATIVE_TOOLS: readonly NativeTool[] = [
  ...GIT_TOOLS.map((definition) => ({ definition, sourceKind: "git" })),
  ...UPLOAD_TOOLS.map((definition) => ({ definition, sourceKind: "uploads" })),
].map(({ definition, sourceKind }) => ({
  definition,
  sourceKind,
  kind: "native",
  defaultActive: !OFF.has(definition.id),
}));
