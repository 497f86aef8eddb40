import { A } from "@solidjs/router";
import { t } from "../i18n/index.ts";
import { EmptyState } from "./empty-state.tsx";
import { PageHeader } from "./page-header.tsx";

/** The page of an address that leads nowhere, or nowhere for this person: the two are not told apart (IDN-4). */
export const NothingHere = () => (
  <>
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
  </>
);
