import { A } from "@solidjs/router";
import { t } from "../i18n/index.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { PageHeader } from "../ui/page-header.tsx";

/** An address that leads nowhere. */
export const NotFoundPage = () => (
  <Page>
    <PageHeader title={t("error.notFound")} />
    <EmptyState
      title={t("error.notFound")}
      action={
        <A href="/workspaces" class="btn">
          {t("error.home")}
        </A>
      }
    >
      {t("error.notFoundBody")}
    </EmptyState>
  </Page>
);
