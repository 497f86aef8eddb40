import { createMemo, type JSX, Show } from "solid-js";
import { rules as t } from "../../i18n/rules.ts";
import { workspaceDoor } from "../rules/rule-door.ts";
import { RuleList } from "../rules/rule-list.tsx";
import { RuleTrial } from "../rules/rule-trial.tsx";
import { WriteStop } from "../rules/write-stop.tsx";

/** The rules that hold in the workspace, and its stop switch (POL-3, POL-7, POL-13). */
export const WorkspaceRules = (props: { readonly workspaceId: string; readonly isAdmin: boolean }): JSX.Element => {
  const door = createMemo(() => workspaceDoor(props.workspaceId));
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
      <WriteStop workspaceId={props.workspaceId} mayChange={props.isAdmin} />
    </>
  );
};
