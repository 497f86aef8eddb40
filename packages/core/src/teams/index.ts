export { addMember, ensureTeam } from "./ensure.ts";
