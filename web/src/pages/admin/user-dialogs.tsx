import type { AdminTeam, AdminUser } from "@aiw/contract/views";
import { type JSX, Match, Show, Switch } from "solid-js";
import { call } from "../../data/client.ts";
import { admin as t } from "../../i18n/admin.ts";
import { t as words } from "../../i18n/index.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { createAction } from "../settings/save.ts";
import { OneTimePassword } from "./one-time-password.tsx";
import { type SavedUser, UserForm } from "./user-form.tsx";

/** What the open dialog is about; `password` holds a one-time password for as long as it is shown. */
export type Open =
  | { readonly kind: "create" }
  | { readonly kind: "edit" | "disable" | "reset"; readonly user: AdminUser }
  | { readonly kind: "password"; readonly user: AdminUser; readonly password: string };

export interface UserDialogsProps {
  readonly open: Open | undefined;
  readonly teams: readonly AdminTeam[];
  readonly myId: string | undefined;
  /** Where the focus goes in the end: the views inside follow one another, the dialog alone does not know. */
  readonly returnTo: () => HTMLElement | undefined;
  readonly onClose: () => void;
  readonly onSaved: (saved: SavedUser) => void;
  readonly onDisabled: (user: AdminUser) => void;
}

const titleOf = (open: Open | undefined): string => {
  if (open === undefined) return "";
  if (open.kind === "create") return t("users.form.createTitle");
  const name = { name: open.user.displayName };
  switch (open.kind) {
    case "edit":
      return t("users.form.editTitle", name);
    case "disable":
      return t("users.disableTitle", name);
    case "reset":
      return t("users.resetTitle", name);
    case "password":
      return t("users.password.title", name);
  }
};

const Confirm = (props: {
  readonly body: string;
  readonly warning?: string | undefined;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly act: () => Promise<void>;
  readonly onCancel: () => void;
}): JSX.Element => {
  const action = createAction();
  return (
    <div class="flex flex-col gap-3">
      <p class="text-ink-2">{props.body}</p>
      <Show when={props.warning}>
        <p class="font-medium text-warn">{props.warning}</p>
      </Show>
      <ErrorLine error={action.failure()} />
      <div class="flex flex-wrap justify-end gap-2">
        <button type="button" class="btn" onClick={() => props.onCancel()}>
          {words("act.cancel")}
        </button>
        <button
          type="button"
          class={`btn ${props.danger === true ? "btn-danger" : "btn-primary"}`}
          aria-disabled={action.busy()}
          onClick={() => void action.run(props.act)}
        >
          {props.confirm}
        </button>
      </div>
    </div>
  );
};

/** The dialogs of the page of people; one is open at a time. */
export const UserDialogs = (props: UserDialogsProps): JSX.Element => {
  const about = (kind: "edit" | "disable" | "reset"): { user: AdminUser } | undefined => {
    const { open } = props;
    return open !== undefined && open.kind === kind ? { user: open.user } : undefined;
  };
  return (
    <Dialog
      returnTo={props.returnTo}
      open={props.open !== undefined}
      onOpenChange={(open) => !open && props.onClose()}
      title={titleOf(props.open)}
    >
      <Switch>
        <Match when={props.open?.kind === "create"}>
          <UserForm user={undefined} teams={props.teams} onSaved={props.onSaved} onCancel={props.onClose} />
        </Match>
        <Match when={about("edit")} keyed>
          {({ user }) => <UserForm user={user} teams={props.teams} onSaved={props.onSaved} onCancel={props.onClose} />}
        </Match>
        <Match when={about("disable")} keyed>
          {({ user }) => (
            <Confirm
              body={t("users.disableBody")}
              warning={user.id === props.myId ? t("users.disableSelf") : undefined}
              confirm={t("users.disableConfirm")}
              danger
              act={async () => props.onDisabled(await call("disableUser", { params: { userId: user.id } }))}
              onCancel={props.onClose}
            />
          )}
        </Match>
        <Match when={about("reset")} keyed>
          {({ user }) => (
            <Confirm
              body={t("users.resetBody")}
              confirm={t("users.resetConfirm")}
              act={async () => props.onSaved(await call("resetPassword", { params: { userId: user.id } }))}
              onCancel={props.onClose}
            />
          )}
        </Match>
        <Match when={props.open?.kind === "password" && props.open.password}>
          {(password) => <OneTimePassword password={password()} onDone={props.onClose} />}
        </Match>
      </Switch>
    </Dialog>
  );
};
