import * as identity from "@aiw/core/identity";
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
  | "createTeam";

export const adminHandlers: Pick<Handlers, Names> = {
  listUsers: ({ ctx, query }) => identity.listUsers(ctx, query),
  createUser: ({ ctx, body }) => identity.addUser(ctx, body),
  updateUser: ({ ctx, params, body }) => identity.updateUser(ctx, params.userId, body),
  disableUser: ({ ctx, params }) => identity.disableUser(ctx, params.userId),
  enableUser: ({ ctx, params }) => identity.enableUser(ctx, params.userId),
  resetPassword: ({ ctx, params }) => identity.resetPassword(ctx, params.userId),
  listTeams: async ({ ctx }) => ({ items: await teams.listTeams(ctx) }),
  createTeam: ({ ctx, body }) => teams.createTeam(ctx, body),
};
