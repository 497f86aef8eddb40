import type { WorkspaceCombination } from "@aiw/contract/labels";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { rules as t } from "../../i18n/rules.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { CombinationFacts } from "../rules/combination-facts.tsx";
import { createAction } from "../settings/save.ts";
import { FormFrame } from "./form-frame.tsx";

const save = async (of: WorkspaceCombination, lifted: boolean, reason: string): Promise<void> => {
  await call("liftCombination", { body: { workspaceId: of.workspace.id, lifted, reason } });
  await queryClient.invalidateQueries({ queryKey: keys.adminCombinations });
  void queryClient.invalidateQueries({ queryKey: keys.workspace(of.workspace.id) });
};

const LiftForm = (props: { readonly of: WorkspaceCombination; readonly onDone: () => void }): JSX.Element => {
  const [reason, setReason] = createSignal("");
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const missing = (): boolean => reason().trim() === "";
  let field: HTMLTextAreaElement | undefined;
  const lift = async (): Promise<void> => {
    setTried(true);
    if (missing()) return field?.focus();
    // The dialog goes with what it is about.
    const { name } = props.of.workspace;
    if (!(await action.run(() => save(props.of, true, reason().trim())))) return;
    props.onDone();
    toast(t("combination.lifted", { name }));
  };
  return (
    <FormFrame
      save={t("combination.lift")}
      danger
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void lift()}
      onCancel={() => props.onDone()}
    >
      <FormField
        label={t("combination.reason")}
        help={t("combination.reasonHelp")}
        error={tried() && missing() ? t("combination.reasonMissing") : undefined}
        required
      >
        {(attrs) => (
          <textarea
            {...attrs}
            ref={(element) => (field = element)}
            class="input min-h-20"
            rows={3}
            maxlength={2000}
            value={reason()}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        )}
      </FormField>
    </FormFrame>
  );
};

const CombinationRow = (props: { readonly of: WorkspaceCombination; readonly onLift: () => void }): JSX.Element => {
  const action = createAction();
  const name = (): string => props.of.workspace.name;
  const block = async (): Promise<void> => {
    if (await action.run(() => save(props.of, false, ""))) toast(t("combination.blockedAgain", { name: name() }));
  };
  return (
    <li class="flex flex-col gap-2 px-4 py-3">
      <h3 class="font-medium [overflow-wrap:anywhere]">
        <VisibleText text={name()} />
      </h3>
      <CombinationFacts of={props.of} />
      <Show
        when={props.of.lifted}
        fallback={
          <button
            type="button"
            class="btn self-start"
            aria-label={t("combination.liftOf", { name: name() })}
            onClick={() => props.onLift()}
          >
            {t("combination.lift")}
          </button>
        }
      >
        <button
          type="button"
          class="btn self-start"
          aria-label={t("combination.blockOf", { name: name() })}
          aria-disabled={action.busy()}
          onClick={() => void block()}
        >
          {t("combination.block")}
        </button>
      </Show>
    </li>
  );
};

/** Workspaces in which confidential sources and untrusted content come together; platform admins may allow it (POL-11). */
export const Combinations = (): JSX.Element => {
  const [lifting, setLifting] = createSignal<WorkspaceCombination>();
  const query = useQuery(() => ({ queryKey: keys.adminCombinations, queryFn: () => call("listCombinations") }));
  return (
    <section aria-labelledby="combinations-title" class="flex flex-col gap-3">
      <div>
        <h2 id="combinations-title" class="text-lg">
          {t("combination.title")}
        </h2>
        <p class="max-w-[70ch] text-ink-2">{t("combination.hint")}</p>
      </div>
      <QueryPanel query={query} rows={2}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<p>{t("combination.empty")}</p>}>
            <ul class="panel divide-y divide-line" aria-labelledby="combinations-title">
              <For each={data().items}>{(of) => <CombinationRow of={of} onLift={() => setLifting(of)} />}</For>
            </ul>
          </Show>
        )}
      </QueryPanel>
      <Dialog
        open={lifting() !== undefined}
        onOpenChange={(open) => !open && setLifting(undefined)}
        title={t("combination.liftOf", { name: lifting()?.workspace.name ?? "" })}
        description={t("combination.liftBody")}
      >
        <Show when={lifting()}>{(of) => <LiftForm of={of()} onDone={() => setLifting(undefined)} />}</Show>
      </Dialog>
    </section>
  );
};
