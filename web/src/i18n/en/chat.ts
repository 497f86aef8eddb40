import type { de } from "../de/chat.ts";

export const en: typeof de = { title: "Chats" };
