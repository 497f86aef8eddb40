export { adminList, classify } from "./admin.ts";
export type { Classification } from "./admin.ts";
export { loadPolicyInputs } from "./policy-inputs.ts";
export type { OfferedTool, PolicyInputs } from "./policy-inputs.ts";
export { acceptSuggestions, hashOf, register } from "./register.ts";
export type { KnownTool } from "./register.ts";
export { list, setActive } from "./workspace.ts";
