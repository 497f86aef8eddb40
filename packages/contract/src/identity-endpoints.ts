import { z } from "zod";
import * as v from "./views.ts";

/** Who is signed in, and whether the product works; part of the table in `api.ts`. */
export const IDENTITY_ENDPOINTS = {
  config: {
    method: "GET",
    path: "/api/config",
    access: "public",
    status: 200,
    response: v.publicConfig,
    summary: "What the sign-in page needs",
  },
  login: {
    method: "POST",
    path: "/api/login",
    access: "public",
    status: 200,
    body: z.strictObject({ name: z.string().max(200), password: z.string().max(1024) }),
    response: v.me,
    summary: "Sign in",
  },
  logout: { method: "POST", path: "/api/logout", access: "public", status: 204, summary: "Sign out" },
  me: {
    method: "GET",
    path: "/api/me",
    access: "session",
    status: 200,
    response: v.me,
    summary: "Who is signed in",
  },
  changePassword: {
    method: "POST",
    path: "/api/me/password",
    access: "session",
    status: 204,
    body: z.strictObject({ current: z.string().max(1024), next: z.string().max(1024) }),
    summary: "Set an own password",
  },
} as const;
