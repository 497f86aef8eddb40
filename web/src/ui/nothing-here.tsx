import { A } from "@solidjs/router";
import { t } from "../i18n/index.ts";
import { PageHeader } from "./page-header.tsx";

/** The page of an address that leads nowhere, or nowhere for this person: the two are not told apart (IDN-4). */
export const NothingHere = () => (
  <>
    <PageHeader title={t("error.notFound")} />
    <div class="panel flex flex-col items-start gap-3 p-6">
      <p class="max-w-[65ch]">{t("error.notFoundBody")}</p>
      <A href="/workspaces" class="btn">
        {t("error.home")}
      </A>
    </div>
  </>
);
