import type { AdminTeam } from "@aiw/contract/views";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Show } from "solid-js";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { admin as t } from "../../i18n/admin.ts";
import { num, t as words } from "../../i18n/index.ts";
import { operation as tOperation } from "../../i18n/operation.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction } from "../settings/save.ts";
import { fieldFaults } from "./field-faults.ts";
import { FormFrame } from "./form-frame.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const MAX_RUNS = 1000;
const runsOf = (text: string): number | undefined => {
  const value = Number(text);
  return /^\d{1,4}$/.test(text.trim()) && value >= 1 && value <= MAX_RUNS ? value : undefined;
};

const TeamForm = (props: { readonly onDone: () => void }): JSX.Element => {
  const [name, setName] = createSignal("");
  const [runs, setRuns] = createSignal("4");
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const nameFault = (): string | undefined => {
    if (tried() && name().trim() === "") return t("users.form.required");
    return action.failure() === null ? undefined : fieldFaults(asProblem(action.failure()))["name"];
  };
  const submit = async (): Promise<void> => {
    setTried(true);
    const maxParallelRuns = runsOf(runs());
    if (name().trim() === "" || maxParallelRuns === undefined) return;
    const done = await action.run(async () => {
      const team = await call("createTeam", { body: { name: name().trim(), maxParallelRuns } });
      toast(t("teams.created", { name: team.name }));
    });
    if (!done) return;
    void queryClient.invalidateQueries({ queryKey: keys.adminTeams });
    props.onDone();
  };
  return (
    <form
      class="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <FormField label={t("teams.name")} error={nameFault()} required>
        {(field) => (
          <input
            {...field}
            class="input"
            name="team"
            maxLength={80}
            autocomplete="off"
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </FormField>
      <FormField
        label={t("teams.maxParallelRuns")}
        help={t("teams.maxParallelRunsHelp")}
        error={tried() && runsOf(runs()) === undefined ? t("teams.numberInvalid") : undefined}
        required
      >
        {(field) => (
          <input
            {...field}
            class="input"
            name="maxParallelRuns"
            inputmode="numeric"
            autocomplete="off"
            value={runs()}
            onInput={(event) => setRuns(event.currentTarget.value)}
          />
        )}
      </FormField>
      <ErrorLine error={action.failure()} />
      <div class="flex flex-wrap justify-end gap-2">
        <button type="button" class="btn" onClick={() => props.onDone()}>
          {words("act.cancel")}
        </button>
        <button type="submit" class="btn btn-primary" aria-disabled={action.busy()}>
          {t("teams.create")}
        </button>
      </div>
    </form>
  );
};

const TeamLimitForm = (props: { readonly team: AdminTeam; readonly onDone: () => void }): JSX.Element => {
  const [runs, setRuns] = createSignal(String(props.team.maxParallelRuns));
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const submit = async (): Promise<void> => {
    setTried(true);
    const maxParallelRuns = runsOf(runs());
    if (maxParallelRuns === undefined) return;
    const { id: teamId, name } = props.team;
    const done = await action.run(async () => {
      await call("updateTeam", { params: { teamId }, body: { maxParallelRuns } });
    });
    if (!done) return;
    toast(tOperation("team.saved", { name }));
    void queryClient.invalidateQueries({ queryKey: keys.adminTeams });
    props.onDone();
  };
  return (
    <FormFrame
      save={tOperation("team.save")}
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void submit()}
      onCancel={() => props.onDone()}
    >
      <FormField
        label={t("teams.maxParallelRuns")}
        help={t("teams.maxParallelRunsHelp")}
        error={tried() && runsOf(runs()) === undefined ? t("teams.numberInvalid") : undefined}
        required
      >
        {(field) => (
          <input
            {...field}
            class="input"
            name="maxParallelRuns"
            inputmode="numeric"
            autocomplete="off"
            value={runs()}
            onInput={(event) => setRuns(event.currentTarget.value)}
          />
        )}
      </FormField>
    </FormFrame>
  );
};

interface TeamsQuery {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly data: { readonly items: readonly AdminTeam[] } | undefined;
  readonly refetch: () => unknown;
}

/** The teams with their limits, and the way to a new one (ADM-1). */
export const TeamSection = (props: { readonly query: TeamsQuery }): JSX.Element => {
  const [adding, setAdding] = createSignal(false);
  const [changing, setChanging] = createSignal<AdminTeam>();
  return (
    <section aria-labelledby="teams-title" class="flex flex-col gap-2">
      <div class="flex flex-wrap items-start justify-between gap-2">
        <div class="min-w-0">
          <h2 id="teams-title" class="text-lg">
            {t("teams.title")}
          </h2>
          <p class="max-w-[70ch] text-ink-2">{t("teams.intro")}</p>
        </div>
        <button type="button" class="btn" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("teams.add")}
        </button>
      </div>
      <QueryPanel query={props.query} rows={2}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<EmptyState title={t("teams.empty")} />}>
            <ul class="panel divide-y divide-line">
              <For each={data().items}>
                {(team) => (
                  <li class="flex flex-wrap items-center justify-between gap-x-4 gap-y-0.5 px-4 py-2">
                    <span class="min-w-0 font-medium [overflow-wrap:anywhere]">
                      <VisibleText text={team.name} />
                    </span>
                    <span class="num flex flex-wrap gap-x-4 text-meta text-ink-2">
                      <span>{t("teams.people", team.people)}</span>
                      <span>{t("teams.limit", { n: num(team.maxParallelRuns) })}</span>
                      <button
                        type="button"
                        class="link"
                        aria-label={tOperation("team.changeOf", { name: team.name })}
                        onClick={() => setChanging(team)}
                      >
                        {tOperation("team.change")}
                      </button>
                    </span>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        )}
      </QueryPanel>
      <Dialog open={adding()} onOpenChange={setAdding} title={t("teams.add")}>
        <TeamForm onDone={() => setAdding(false)} />
      </Dialog>
      <Dialog
        open={changing() !== undefined}
        onOpenChange={(open) => !open && setChanging(undefined)}
        title={tOperation("team.changeOf", { name: changing()?.name ?? "" })}
      >
        <Show when={changing()}>{(team) => <TeamLimitForm team={team()} onDone={() => setChanging(undefined)} />}</Show>
      </Dialog>
    </section>
  );
};
