import * as chats from "@aiw/core/chats";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

type Names = "listChats" | "createChat" | "getChat" | "updateChat" | "sendMessage";

export const chatHandlers: Pick<Handlers, Names> = {
  listChats: ({ ctx, query }) =>
    chats.list(ctx, { ...query, archived: query.archived === undefined ? undefined : query.archived === "true" }),
  createChat: ({ ctx, body }) => chats.create(ctx, body),
  getChat: ({ ctx, params }) => chats.get(ctx, params.chatId),
  updateChat: ({ ctx, params, body, deps }) => chats.update(ctx, params.chatId, body, deps.vault),

  sendMessage: async ({ ctx, params, body, deps }) => {
    const { message, run, teamId, ring } = await chats.postMessage(ctx, params.chatId, body, deps.vault);
    await goOn(deps, { teamId, runIds: ring });
    return { message, run };
  },
};
