import * as deadLetters from "@aiw/core/dead-letters";
import * as identity from "@aiw/core/identity";
import * as limits from "@aiw/core/limits";
import * as teams from "@aiw/core/teams";
import type { Handlers } from "../http/call.ts";

type Names =
  | "listUsers"
  | "createUser"
  | "updateUser"
  | "disableUser"
  | "enableUser"
  | "resetPassword"
  | "listTeams"
  | "createTeam"
  | "updateTeam"
  | "listDeadLetters"
  | "redriveDeadLetter"
  | "removeDeadLetter"
  | "getLimits"
  | "setLimits";

export const adminHandlers: Pick<Handlers, Names> = {
  listUsers: ({ ctx, query }) => identity.listUsers(ctx, query),
  createUser: ({ ctx, body }) => identity.addUser(ctx, body),
  updateUser: ({ ctx, params, body }) => identity.updateUser(ctx, params.userId, body),
  disableUser: ({ ctx, params }) => identity.disableUser(ctx, params.userId),
  enableUser: ({ ctx, params }) => identity.enableUser(ctx, params.userId),
  resetPassword: ({ ctx, params }) => identity.resetPassword(ctx, params.userId),
  listTeams: async ({ ctx }) => ({ items: await teams.listTeams(ctx) }),
  createTeam: ({ ctx, body }) => teams.createTeam(ctx, body),
  updateTeam: ({ ctx, params, body }) => teams.updateTeam(ctx, params.teamId, body),
  listDeadLetters: ({ ctx, deps }) => deadLetters.list(ctx, deps.deadLetters),
  redriveDeadLetter: async ({ ctx, params, deps }) => {
    await deadLetters.settle(ctx, deps.deadLetters, params, "redrive");
    return undefined;
  },
  removeDeadLetter: async ({ ctx, params, deps }) => {
    await deadLetters.settle(ctx, deps.deadLetters, params, "remove");
    return undefined;
  },
  getLimits: ({ ctx, deps }) => limits.get(ctx, deps.settings.limits),
  setLimits: ({ ctx, body, deps }) => limits.set(ctx, deps.settings.limits, body),
};
