import { t } from "../i18n/index.ts";
import { Page } from "../ui/page.tsx";
import { PageHeader } from "../ui/page-header.tsx";

/** Overview of a workspace. */
export const OverviewPage = () => (
  <Page>
    <PageHeader title={t("nav.overview")} />
  </Page>
);
