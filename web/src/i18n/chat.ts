import { area } from "./area.ts";
import { de } from "./de/chat.ts";
import { en } from "./en/chat.ts";

/** Words of the chat pages. */
export const tChat = area(de, en);
