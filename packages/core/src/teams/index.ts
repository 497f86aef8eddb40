export { addMember, ensureTeam } from "./ensure.ts";
export { createTeam, listTeams, updateTeam } from "./admin.ts";
