import { area } from "./area.ts";
import { de } from "./de/uploads.ts";
import { en } from "./en/uploads.ts";

/** Words of uploads and of what is asked of them. */
export const uploads = area(de, en);
