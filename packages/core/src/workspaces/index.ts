export { create } from "./create.ts";
export { enter } from "./enter.ts";
export { get, list, scopeOf } from "./get.ts";
export { candidates, removeMember, setMember } from "./members.ts";
export { update } from "./update.ts";
