import type { AdminUser } from "@aiw/contract/views";
import Ban from "lucide-solid/icons/ban";
import CircleCheck from "lucide-solid/icons/circle-check";
import KeyRound from "lucide-solid/icons/key-round";
import Lock from "lucide-solid/icons/lock";
import { For, type JSX, Show } from "solid-js";
import { useNow } from "../../data/clock.ts";
import { admin as t } from "../../i18n/admin.ts";
import { timeOfDay } from "../../i18n/index.ts";
import { Badge } from "../../ui/badge.tsx";
import { Person } from "../../ui/person.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

export interface UserActions {
  readonly edit: (user: AdminUser) => void;
  readonly reset: (user: AdminUser) => void;
  readonly disable: (user: AdminUser) => void;
  readonly enable: (user: AdminUser) => void;
}

/** On a phone a row is a card, and each value carries the name of its column. */
const Cell = (props: { readonly label: string; readonly children: JSX.Element }): JSX.Element => (
  <td role="cell" class="px-4 py-2 align-top max-md:flex max-md:gap-3 max-md:px-0 max-md:py-0.5">
    <span class="label w-28 shrink-0 pt-px md:hidden" aria-hidden="true">
      {props.label}
    </span>
    <div class="min-w-0">{props.children}</div>
  </td>
);

const States = (props: { readonly user: AdminUser }): JSX.Element => {
  const now = useNow();
  const lockedUntil = (): string | undefined => {
    const until = props.user.lockedUntil;
    return until !== null && Date.parse(until) > now() ? until : undefined;
  };
  return (
    <span class="flex flex-col items-start gap-1">
      <Show
        when={props.user.disabledAt === null}
        fallback={
          <Badge tone="neg" icon={Ban}>
            {t("users.state.disabled")}
          </Badge>
        }
      >
        <Badge tone="pos" icon={CircleCheck}>
          {t("users.state.active")}
        </Badge>
      </Show>
      <Show when={lockedUntil()}>
        {(until) => (
          <Badge tone="warn" icon={Lock}>
            {t("users.state.locked", { time: timeOfDay(until()) })}
          </Badge>
        )}
      </Show>
      <Show when={props.user.mustChangePassword}>
        <Badge tone="mute" icon={KeyRound}>
          {t("users.state.oneTime")}
        </Badge>
      </Show>
    </span>
  );
};

/** One person: names, teams, rights, state, last sign-in, and what an admin may do. */
export const UserRow = (props: {
  readonly user: AdminUser;
  readonly isMe: boolean;
  readonly actions: UserActions;
}): JSX.Element => {
  const name = (): { name: string } => ({ name: props.user.displayName });
  const isDisabled = (): boolean => props.user.disabledAt !== null;
  const rights = (): readonly string[] => [
    ...(props.user.isPlatformAdmin ? [t("users.platformAdmin")] : []),
    ...(props.user.isGlobalApprover ? [t("users.globalApprover")] : []),
  ];
  return (
    <tr
      role="row"
      class="max-md:block max-md:border-t max-md:border-line max-md:px-4 max-md:py-3 max-md:first:border-t-0 md:*:border-t md:*:border-line"
    >
      <th
        role="rowheader"
        scope="row"
        class="px-4 py-2 text-left align-top font-normal max-md:block max-md:px-0 max-md:pt-0 max-md:pb-1"
      >
        <span class="flex flex-wrap items-center gap-x-1.5">
          <Person person={props.user} class="font-medium" />
          <Show when={props.isMe}>
            <span class="text-meta text-ink-2">({t("users.you")})</span>
          </Show>
        </span>
        <span class="mono block text-ink-2 [overflow-wrap:anywhere]">{props.user.name}</span>
      </th>
      <Cell label={t("users.column.teams")}>
        <For each={props.user.teams} fallback={<span class="text-ink-2">{t("users.noTeam")}</span>}>
          {(team) => <span class="block max-w-56 break-words">{team.name}</span>}
        </For>
      </Cell>
      <Cell label={t("users.column.rights")}>
        <For each={rights()} fallback={t("users.noRights")}>
          {(right) => <span class="block">{right}</span>}
        </For>
      </Cell>
      <Cell label={t("users.column.state")}>
        <States user={props.user} />
      </Cell>
      <Cell label={t("users.column.lastSignIn")}>
        <Show when={props.user.lastSignInAt} fallback={<span class="text-ink-2">{t("users.never")}</span>}>
          {(at) => <RelativeTime at={at()} />}
        </Show>
      </Cell>
      <td role="cell" class="px-4 py-2 align-top max-md:block max-md:px-0 max-md:pt-2 max-md:pb-0">
        <div class="flex flex-wrap gap-1.5 md:justify-end">
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("users.editOf", name())}
            onClick={() => props.actions.edit(props.user)}
          >
            {t("users.edit")}
          </button>
          {/* The own password is changed on the own account's page: a reset would end the session that shows it. */}
          <Show when={!props.isMe}>
            <button
              type="button"
              class="btn btn-sm"
              aria-label={t("users.resetOf", name())}
              onClick={() => props.actions.reset(props.user)}
            >
              {t("users.reset")}
            </button>
          </Show>
          <button
            type="button"
            class={`btn btn-sm ${isDisabled() ? "" : "btn-danger"}`}
            aria-label={isDisabled() ? t("users.enableOf", name()) : t("users.disableOf", name())}
            onClick={() => (isDisabled() ? props.actions.enable : props.actions.disable)(props.user)}
          >
            {isDisabled() ? t("users.enable") : t("users.disable")}
          </button>
        </div>
      </td>
    </tr>
  );
};
