import { A } from "@solidjs/router";
import { t } from "../i18n/index.ts";
import { PageHeader } from "./page-header.tsx";

/** The page of an address this person may know of but has no right to. */
export const NoRight = () => (
  <>
    <PageHeader title={t("error.noRight")} />
    <div class="panel flex flex-col items-start gap-3 p-6">
      <p class="max-w-[65ch]">{t("error.noRightBody")}</p>
      <A href="/workspaces" class="btn">
        {t("error.home")}
      </A>
    </div>
  </>
);
