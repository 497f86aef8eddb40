import { t } from "../i18n/index.ts";

/** Title of a chat; one without a message yet has none. */
export const chatTitle = (title: string): string => (title.trim() === "" ? t("untitled") : title);
