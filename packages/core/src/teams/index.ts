export { addMember, ensureTeam } from "./ensure.ts";
export { createTeam, listTeams } from "./admin.ts";
