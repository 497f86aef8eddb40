export { adminList, classify } from "./admin.ts";
export { canonical } from "./canonical.ts";
export { effectiveArguments } from "./effective-arguments.ts";
export { acceptSuggestions, hashOf, register } from "./register.ts";
export { list, setActive } from "./workspace.ts";
