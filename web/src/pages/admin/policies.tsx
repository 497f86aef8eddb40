import type { JSX } from "solid-js";
import { rules as t } from "../../i18n/rules.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { platformDoor } from "../rules/rule-door.ts";
import { RuleList } from "../rules/rule-list.tsx";
import { RuleTrial } from "../rules/rule-trial.tsx";
import { WriteStop } from "../rules/write-stop.tsx";
import { Combinations } from "./combinations.tsx";

/** Rules of the platform, and the switch that stops all writes to the outside (POL-3, POL-8, POL-11, POL-13). */
export const AdminPoliciesPage = (): JSX.Element => (
  <Page>
    <PageHeader title={t("platformTitle")} lead={t("platformIntro")} />
    <section aria-labelledby="rule-list-title" class="flex flex-col gap-3">
      <h2 id="rule-list-title" class="text-lg">
        {t("title")}
      </h2>
      <RuleList door={platformDoor} mayChange />
      <RuleTrial door={platformDoor} />
    </section>
    <Combinations />
    <WriteStop workspaceId={null} mayChange />
  </Page>
);
