import type { WorkspaceDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import { createMemo, type JSX, Show } from "solid-js";
import { useMe } from "../../data/session.ts";
import { rules as t } from "../../i18n/rules.ts";
import { CombinationFacts } from "../rules/combination-facts.tsx";
import { workspaceDoor } from "../rules/rule-door.ts";
import { RuleList } from "../rules/rule-list.tsx";
import { RuleTrial } from "../rules/rule-trial.tsx";
import { WriteStop } from "../rules/write-stop.tsx";

/** The rules that hold in the workspace, what its sources combine to, and its stop switch (POL-3, POL-7, POL-11, POL-13). */
export const WorkspaceRules = (props: { readonly ws: WorkspaceDetail; readonly isAdmin: boolean }): JSX.Element => {
  const me = useMe();
  const door = createMemo(() => workspaceDoor(props.ws.id));
  return (
    <>
      <section aria-labelledby="rule-list-title" class="flex flex-col gap-3">
        <h2 id="rule-list-title" class="text-lg">
          {t("title")}
        </h2>
        <p class="max-w-[70ch] text-ink-2">{t("intro")}</p>
        <RuleList door={door()} mayChange={props.isAdmin} />
        <Show when={props.isAdmin}>
          <RuleTrial door={door()} />
        </Show>
      </section>
      <Show when={props.ws.combination}>
        {(combination) => (
          <section class="panel flex flex-col gap-3 p-4" aria-labelledby="combination-title">
            <h2 id="combination-title" class="text-lg">
              {t("combination.one")}
            </h2>
            <p class="max-w-[70ch] text-ink-2">{t("combination.hint")}</p>
            <CombinationFacts of={combination()} />
            <Show when={!me.isPending && me.data?.isPlatformAdmin === true}>
              <A class="link self-start" href="/admin/policies">
                {t("combination.manage")}
              </A>
            </Show>
          </section>
        )}
      </Show>
      <WriteStop workspaceId={props.ws.id} mayChange={props.isAdmin} />
    </>
  );
};
