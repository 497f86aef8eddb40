import { withoutAnswers } from "@aiw/core/approvals";
import * as chats from "@aiw/core/chats";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

type Names = "listChats" | "createChat" | "getChat" | "updateChat" | "sendMessage";

export const chatHandlers: Pick<Handlers, Names> = {
  listChats: ({ ctx, query }) =>
    chats.list(ctx, { ...query, archived: query.archived === undefined ? undefined : query.archived === "true" }),
  createChat: ({ ctx, body }) => chats.create(ctx, body),
  getChat: ({ ctx, params }) => chats.get(ctx, params.chatId),
  updateChat: async ({ ctx, params, body, deps }) => {
    // As it is stored: an answer is not to be got round by a blank more.
    const title = body.title === undefined ? undefined : chats.readTitle(body.title);
    const shown = title === undefined ? {} : { title: await withoutAnswers(ctx, params.chatId, title, deps.vault) };
    return chats.update(ctx, params.chatId, { ...body, ...shown });
  },

  sendMessage: async ({ ctx, params, body, deps }) => {
    const text = await withoutAnswers(ctx, params.chatId, body.text, deps.vault);
    const { message, run, teamId, ring } = await chats.postMessage(ctx, params.chatId, { ...body, text });
    await goOn(deps, { teamId, runIds: ring });
    return { message, run };
  },
};
