import type { AdminTeam, AdminUser } from "@aiw/contract/views";
import { createSignal, For, type JSX, Show } from "solid-js";
import { asProblem, call } from "../../data/client.ts";
import { admin as t } from "../../i18n/admin.ts";
import { t as words } from "../../i18n/index.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { createAction } from "../settings/save.ts";
import { fieldFaults } from "./field-faults.ts";

/** What the form answers: the user as the server has it now, and for a new one the password to hand over. */
export interface SavedUser {
  readonly user: AdminUser;
  readonly oneTimePassword: string | undefined;
}

const Check = (props: {
  readonly label: string;
  readonly help?: string | undefined;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}): JSX.Element => (
  <label class="flex min-h-7 items-start gap-2">
    <input
      type="checkbox"
      class="mt-0.5 size-4 shrink-0 accent-accent"
      checked={props.checked}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
    <span class="min-w-0 [overflow-wrap:anywhere]">
      {props.label}
      <Show when={props.help}>
        <span class="block text-meta text-ink-2">{props.help}</span>
      </Show>
    </span>
  </label>
);

/** Makes a user, or changes the one given: names, teams, rights for the whole platform. */
export const UserForm = (props: {
  readonly user: AdminUser | undefined;
  readonly teams: readonly AdminTeam[];
  readonly onSaved: (saved: SavedUser) => void;
  readonly onCancel: () => void;
}): JSX.Element => {
  const given = props.user;
  const [name, setName] = createSignal(given?.name ?? "");
  const [displayName, setDisplayName] = createSignal(given?.displayName ?? "");
  const [teamIds, setTeamIds] = createSignal<readonly string[]>(given?.teams.map((team) => team.id) ?? []);
  const [isPlatformAdmin, setPlatformAdmin] = createSignal(given?.isPlatformAdmin ?? false);
  const [isGlobalApprover, setGlobalApprover] = createSignal(given?.isGlobalApprover ?? false);
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const faults = (): Readonly<Record<string, string>> => {
    if (tried() && name().trim() === "") return { name: t("users.form.required") };
    if (tried() && displayName().trim() === "") return { displayName: t("users.form.required") };
    return action.failure() === null ? {} : fieldFaults(asProblem(action.failure()));
  };
  const send = async (): Promise<SavedUser> => {
    const body = {
      displayName: displayName().trim(),
      teamIds: [...teamIds()],
      isPlatformAdmin: isPlatformAdmin(),
      isGlobalApprover: isGlobalApprover(),
    };
    if (given === undefined) return call("createUser", { body: { ...body, name: name().trim() } });
    const user = await call("updateUser", { params: { userId: given.id }, body });
    return { user, oneTimePassword: undefined };
  };
  const submit = async (): Promise<void> => {
    setTried(true);
    if (name().trim() === "" || displayName().trim() === "") return;
    await action.run(async () => props.onSaved(await send()));
  };
  const toggle = (teamId: string, member: boolean): void => {
    setTeamIds((ids) => (member ? [...ids, teamId] : ids.filter((id) => id !== teamId)));
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
      <Show when={given === undefined}>
        <FormField label={t("users.form.name")} help={t("users.form.nameHelp")} error={faults()["name"]} required>
          {(field) => (
            <input
              {...field}
              class="input"
              name="name"
              maxLength={80}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={name()}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </FormField>
      </Show>
      <FormField label={t("users.form.displayName")} error={faults()["displayName"]} required>
        {(field) => (
          <input
            {...field}
            class="input"
            name="displayName"
            maxLength={80}
            autocomplete="off"
            value={displayName()}
            onInput={(event) => setDisplayName(event.currentTarget.value)}
          />
        )}
      </FormField>
      <fieldset>
        <legend class="mb-1 font-medium">{t("users.form.teams")}</legend>
        <For each={props.teams} fallback={<p class="text-ink-2">{t("users.form.teamsNone")}</p>}>
          {(team) => (
            <Check
              label={team.name}
              checked={teamIds().includes(team.id)}
              onChange={(member) => toggle(team.id, member)}
            />
          )}
        </For>
        <p class="mt-1 text-meta text-ink-2">{t("users.form.teamsHelp")}</p>
      </fieldset>
      <fieldset class="flex flex-col gap-1">
        <legend class="mb-1 font-medium">{t("users.form.rights")}</legend>
        <Check
          label={t("users.form.platformAdmin")}
          help={t("users.form.platformAdminHelp")}
          checked={isPlatformAdmin()}
          onChange={setPlatformAdmin}
        />
        <Check
          label={t("users.form.globalApprover")}
          help={t("users.form.globalApproverHelp")}
          checked={isGlobalApprover()}
          onChange={setGlobalApprover}
        />
      </fieldset>
      <ErrorLine error={action.failure()} />
      <div class="flex flex-wrap justify-end gap-2">
        <button type="button" class="btn" onClick={() => props.onCancel()}>
          {words("act.cancel")}
        </button>
        <button type="submit" class="btn btn-primary" aria-disabled={action.busy()}>
          {given === undefined ? t("users.form.create") : t("users.form.save")}
        </button>
      </div>
    </form>
  );
};
