import type { MemberRole, Person as PersonView, WorkspaceDetail } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { useMe } from "../../data/session.ts";
import { t as words } from "../../i18n/index.ts";
import { settings as t } from "../../i18n/settings.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Person } from "../../ui/person.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { type Action, createAction, takeWorkspace } from "./save.ts";
import { visibleString } from "../../ui/visible-text.ts";

type Member = WorkspaceDetail["members"][number];
const ROLES = ["member", "approver", "admin"] as const satisfies readonly MemberRole[];
const isRole = (value: string): value is MemberRole => ROLES.some((role) => role === value);

const setRole = async (workspaceId: string, userId: string, role: MemberRole): Promise<void> =>
  takeWorkspace(await call("setMember", { params: { workspaceId, userId }, body: { role } }));

const MemberRow = (props: {
  readonly ws: WorkspaceDetail;
  readonly member: Member;
  readonly isAdmin: boolean;
  readonly action: Action;
  readonly onRemove: () => void;
}): JSX.Element => {
  const me = useMe();
  const isMe = (): boolean => !me.isPending && me.data?.id === props.member.id;
  const change = async (select: HTMLSelectElement): Promise<void> => {
    const role = select.value;
    if (!isRole(role)) return;
    const done = await props.action.run(() => setRole(props.ws.id, props.member.id, role));
    if (done) toast(t("members.roleChanged", { name: props.member.displayName }));
    else select.value = props.member.role;
  };
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2">
      <span class="flex min-w-0 flex-1 basis-48 items-center gap-2">
        <Person person={props.member} />
        <Show when={isMe()}>
          <span class="text-meta text-ink-2">({t("members.you")})</span>
        </Show>
      </span>
      <Show when={props.isAdmin} fallback={<span>{words(`role.${props.member.role}`)}</span>}>
        <select
          class="input w-auto"
          aria-label={t("members.roleOf", { name: visibleString(props.member.displayName) })}
          value={props.member.role}
          disabled={props.action.busy()}
          onChange={(event) => void change(event.currentTarget)}
        >
          <For each={ROLES}>
            {(role) => (
              <option value={role} selected={role === props.member.role}>
                {words(`role.${role}`)}
              </option>
            )}
          </For>
        </select>
        <button
          type="button"
          class="btn btn-quiet btn-sm"
          aria-label={t("members.removeOf", { name: visibleString(props.member.displayName) })}
          onClick={() => props.onRemove()}
        >
          {t("members.remove")}
        </button>
      </Show>
    </li>
  );
};

const AddMember = (props: { readonly workspaceId: string }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.candidates(props.workspaceId),
    queryFn: () => call("listCandidates", { params: { workspaceId: props.workspaceId } }),
  }));
  const [userId, setUserId] = createSignal("");
  const [role, setRoleChoice] = createSignal<MemberRole>("member");
  const action = createAction();
  const add = async (people: readonly PersonView[]): Promise<void> => {
    const person = people.find((candidate) => candidate.id === userId());
    if (person === undefined) return;
    const done = await action.run(() => setRole(props.workspaceId, person.id, role()));
    if (!done) return;
    setUserId("");
    toast(t("members.added", { name: person.displayName }));
  };
  return (
    <section class="panel p-4" aria-labelledby="add-title">
      <h2 id="add-title" class="mb-2 text-lg">
        {t("members.add")}
      </h2>
      <QueryPanel query={query} rows={1}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<p class="text-ink-2">{t("members.noCandidates")}</p>}>
            <form
              class="flex flex-wrap items-end gap-3"
              onSubmit={(event) => {
                event.preventDefault();
                void add(data().items);
              }}
            >
              <div class="min-w-0 flex-1 basis-56">
                <FormField label={t("members.candidate")} required>
                  {(attrs) => (
                    <select
                      {...attrs}
                      class="input"
                      value={userId()}
                      onChange={(event) => setUserId(event.currentTarget.value)}
                    >
                      <option value="">{t("members.pick")}</option>
                      <For each={data().items}>
                        {(person) => <option value={person.id}>{visibleString(person.displayName)}</option>}
                      </For>
                    </select>
                  )}
                </FormField>
              </div>
              <div class="basis-40">
                <FormField label={t("members.role")}>
                  {(attrs) => (
                    <select
                      {...attrs}
                      class="input"
                      value={role()}
                      onChange={(event) =>
                        isRole(event.currentTarget.value) && setRoleChoice(event.currentTarget.value)
                      }
                    >
                      <For each={ROLES}>{(choice) => <option value={choice}>{words(`role.${choice}`)}</option>}</For>
                    </select>
                  )}
                </FormField>
              </div>
              <button type="submit" class="btn btn-primary" disabled={action.busy() || userId() === ""}>
                {t("members.addButton")}
              </button>
            </form>
            <ErrorLine error={action.failure()} />
          </Show>
        )}
      </QueryPanel>
    </section>
  );
};

/** Who belongs to the workspace and in which role (IDN-2). */
export const MemberSettings = (props: { readonly ws: WorkspaceDetail; readonly isAdmin: boolean }): JSX.Element => {
  const [leaving, setLeaving] = createSignal<Member>();
  const roles = createAction();
  const removal = createAction();
  const remove = async (member: Member): Promise<void> => {
    const params = { workspaceId: props.ws.id, userId: member.id };
    const done = await removal.run(async () => takeWorkspace(await call("removeMember", { params })));
    if (!done) return;
    setLeaving(undefined);
    toast(t("members.removed", { name: member.displayName }));
  };
  return (
    <>
      <section aria-labelledby="members-title" class="flex flex-col gap-2">
        <h2 id="members-title" class="text-lg">
          {t("members.title")} <span class="num text-base font-normal text-ink-2">({props.ws.members.length})</span>
        </h2>
        <ErrorLine error={roles.failure()} />
        <ul class="panel divide-y divide-line">
          <For each={props.ws.members}>
            {(member) => (
              <MemberRow
                ws={props.ws}
                member={member}
                isAdmin={props.isAdmin}
                action={roles}
                onRemove={() => setLeaving(member)}
              />
            )}
          </For>
        </ul>
      </section>
      <dl class="grid gap-x-4 gap-y-1 text-meta md:grid-cols-[7rem_minmax(0,1fr)]">
        <For each={ROLES}>
          {(role) => (
            <>
              <dt class="font-medium">{words(`role.${role}`)}</dt>
              <dd class="text-ink-2">{t(`members.roleHint.${role}`)}</dd>
            </>
          )}
        </For>
      </dl>
      <Show when={props.isAdmin}>
        <AddMember workspaceId={props.ws.id} />
      </Show>
      <Dialog
        open={leaving() !== undefined}
        onOpenChange={(open) => !open && setLeaving(undefined)}
        title={t("members.removeTitle", { name: leaving()?.displayName ?? "" })}
        description={t("members.removeBody")}
      >
        <ErrorLine error={removal.failure()} />
        <div class="mt-2 flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-danger"
            disabled={removal.busy()}
            onClick={() => {
              const member = leaving();
              if (member !== undefined) void remove(member);
            }}
          >
            {t("members.removeConfirm")}
          </button>
          <button type="button" class="btn" onClick={() => setLeaving(undefined)}>
            {t("members.keep")}
          </button>
        </div>
      </Dialog>
    </>
  );
};
