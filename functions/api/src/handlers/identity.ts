import { Problem } from "@aiw/contract/problem";
import * as identity from "@aiw/core/identity";
import type { Handlers } from "../http/call.ts";

type Names = "config" | "login" | "logout" | "me" | "changePassword";

export const identityHandlers: Pick<Handlers, Names> = {
  config: async ({ ctx, deps }) => {
    const { demoPassword: password } = deps.signIn;
    if (password === undefined) return { ...deps.settings.config, demoLogins: [] };
    const users = await identity.demoUsers(ctx);
    const { config, demoRoles } = deps.settings;
    return {
      ...config,
      demoLogins: users.map(({ name, displayName }) => ({ name, role: demoRoles.get(name) ?? displayName, password })),
    };
  },

  login: async ({ ctx, body, deps, http }) => {
    if (!deps.loginGuard.admit(http.address, body.name)) throw new Problem("rate_limited");
    const { token, me } = await identity.signIn(ctx, { ...body, previousToken: http.token }, deps.signIn);
    http.setSession(token);
    return me;
  },

  logout: async ({ ctx, http }) => {
    if (http.token !== undefined) await identity.signOut(ctx, http.token);
    http.clearSession();
    return undefined;
  },

  me: ({ ctx }) => identity.me(ctx),

  changePassword: async ({ ctx, body, deps, http }) => {
    const { token } = await identity.changePassword(ctx, body, deps.signIn);
    http.setSession(token);
    return undefined;
  },
};
