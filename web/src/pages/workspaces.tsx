import type { WorkspaceSummary } from "@aiw/contract/views";
import { A, useNavigate } from "@solidjs/router";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, Show } from "solid-js";
import { call } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { queryClient } from "../data/query.ts";
import { useMe } from "../data/session.ts";
import { useWorkspaces } from "../data/workspace.ts";
import { t } from "../i18n/index.ts";
import { tWorkspaces } from "../i18n/workspaces.ts";
import { Dialog } from "../ui/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ErrorLine } from "../ui/error-panel.tsx";
import { FormField } from "../ui/form-field.tsx";
import { Page } from "../ui/page.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { QueryPanel } from "../ui/query-panel.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { SourceHealth } from "../ui/source-health.tsx";
import { VisibleText } from "../ui/visible-text-view.tsx";

const Card = (props: { readonly ws: WorkspaceSummary }) => (
  <article class="panel relative flex flex-col gap-2 p-4 hover:border-line-strong">
    <div class="flex items-start justify-between gap-3">
      <h2 class="min-w-0 text-lg [overflow-wrap:anywhere]">
        {/* The whole card is the target; the name stays the link's text. */}
        <A href={`/w/${props.ws.id}`} class="after:absolute after:inset-0 after:rounded-panel">
          <VisibleText text={props.ws.name} />
        </A>
      </h2>
      <span class="text-meta whitespace-nowrap text-ink-2">
        <VisibleText text={props.ws.team.name} />
      </span>
    </div>
    <Show when={props.ws.description !== ""}>
      <p class="text-ink-2">
        <VisibleText text={props.ws.description} marks="hidden" />
      </p>
    </Show>
    <div class="mt-auto flex flex-wrap items-center gap-x-4 gap-y-1 pt-1 text-meta text-ink-2">
      <SourceHealth sources={props.ws.sources} />
      <span class={props.ws.openApprovals > 0 ? "font-medium text-warn" : ""}>
        {tWorkspaces("approvals", props.ws.openApprovals)}
      </span>
      <span>{t(`mode.${props.ws.writePolicy}`)}</span>
      <span>{tWorkspaces("role", { role: t(`role.${props.ws.role}`) })}</span>
      <span>
        <Show when={props.ws.lastActivityAt} fallback={tWorkspaces("noActivity")}>
          {(at) => (
            <>
              {tWorkspaces("activity")}: <RelativeTime at={at()} />
            </>
          )}
        </Show>
      </span>
    </div>
  </article>
);

const CreateForm = (props: { readonly onDone: () => void }) => {
  const me = useMe();
  const navigate = useNavigate();
  const teams = () => me.data?.teams ?? [];
  const [name, setName] = createSignal("");
  const [description, setDescription] = createSignal("");
  const [teamId, setTeamId] = createSignal(teams()[0]?.id);
  const [missing, setMissing] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>(null);
  const submit = async (): Promise<void> => {
    setMissing(name().trim() === "");
    setError(null);
    if (missing() || busy()) return;
    setBusy(true);
    const team = teamId();
    try {
      const made = await call("createWorkspace", {
        body: {
          name: name().trim(),
          description: description().trim(),
          ...(team === undefined ? {} : { teamId: team }),
        },
      });
      void queryClient.invalidateQueries({ queryKey: keys.workspaces });
      queryClient.setQueryData(keys.workspace(made.id), made);
      props.onDone();
      navigate(`/w/${made.id}`);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Show when={teams().length > 0} fallback={<p>{tWorkspaces("noTeam")}</p>}>
      <form
        class="flex flex-col gap-4"
        novalidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <FormField label={tWorkspaces("name")} required error={missing() ? tWorkspaces("nameMissing") : undefined}>
          {(field) => (
            <input
              {...field}
              class="input"
              name="name"
              maxLength={80}
              autocomplete="off"
              value={name()}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </FormField>
        <FormField label={tWorkspaces("description")} help={tWorkspaces("descriptionHelp")}>
          {(field) => (
            <textarea
              {...field}
              class="input"
              rows={3}
              name="description"
              maxLength={500}
              value={description()}
              onInput={(event) => setDescription(event.currentTarget.value)}
            />
          )}
        </FormField>
        <Show
          when={teams().length > 1}
          fallback={<p class="text-ink-2">{`${tWorkspaces("team")}: ${teams()[0]?.name ?? ""}`}</p>}
        >
          <FormField label={tWorkspaces("team")} help={tWorkspaces("teamHelp")} required>
            {(field) => (
              <select
                {...field}
                class="input"
                name="team"
                value={teamId() ?? ""}
                onChange={(event) => setTeamId(event.currentTarget.value)}
              >
                <For each={teams()}>{(team) => <option value={team.id}>{team.name}</option>}</For>
              </select>
            )}
          </FormField>
        </Show>
        <ErrorLine error={error()} />
        <div class="flex flex-wrap justify-end gap-2">
          <button type="button" class="btn" onClick={() => props.onDone()}>
            {t("act.cancel")}
          </button>
          <button type="submit" class="btn btn-primary" aria-disabled={busy()}>
            {tWorkspaces("create")}
          </button>
        </div>
      </form>
    </Show>
  );
};

/** Own and shared workspaces with their state, and the way to a new one (IDN-0). */
export const WorkspacesPage = () => {
  const all = useWorkspaces();
  const [creating, setCreating] = createSignal(false);
  const CreateButton = () => (
    <button type="button" class="btn btn-primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden="true" />
      {tWorkspaces("create")}
    </button>
  );
  return (
    <Page>
      <PageHeader title={tWorkspaces("title")} lead={tWorkspaces("lead")} actions={<CreateButton />} />
      <QueryPanel query={all} rows={4}>
        {(data) => (
          <Show
            when={data().items.length > 0}
            fallback={<EmptyState title={tWorkspaces("empty")}>{tWorkspaces("emptyBody")}</EmptyState>}
          >
            <div class="grid grid-cols-1 gap-3 lg:grid-cols-2">
              <For each={data().items}>{(ws) => <Card ws={ws} />}</For>
            </div>
          </Show>
        )}
      </QueryPanel>
      <Dialog open={creating()} onOpenChange={setCreating} title={tWorkspaces("create")}>
        <CreateForm onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  );
};
