import { t } from "../../i18n/index.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

/** Chats of a workspace. */
export const ChatsPage = () => (
  <Page>
    <PageHeader title={t("nav.chats")} />
  </Page>
);
