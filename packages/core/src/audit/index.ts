export { human, system, write } from "./write.ts";
export type { AuditActor, AuditEntry } from "./write.ts";
export { list } from "./list.ts";
