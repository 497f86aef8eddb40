import type { AdminUser } from "@aiw/contract/views";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/solid-query";
import Plus from "lucide-solid/icons/plus";
import { createSignal, createUniqueId, For, type JSX, onCleanup, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { useMe } from "../../data/session.ts";
import { admin as t } from "../../i18n/admin.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction } from "../settings/save.ts";
import { TeamSection } from "./team-section.tsx";
import { type Open, UserDialogs } from "./user-dialogs.tsx";
import type { SavedUser } from "./user-form.tsx";
import { type UserActions, UserRow } from "./user-row.tsx";

const TYPING_MS = 250;
const COLUMNS = ["person", "teams", "rights", "state", "lastSignIn"] as const;

/** The text in the field, and a moment after the last key the text that is looked for. */
const createSearch = () => {
  const [typed, setTyped] = createSignal("");
  const [wanted, setWanted] = createSignal("");
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const type = (text: string): void => {
    setTyped(text);
    clearTimeout(timer);
    timer = setTimeout(() => setWanted(text.trim()), TYPING_MS);
  };
  return { typed, wanted, type };
};

const UserTable = (props: {
  readonly users: readonly AdminUser[];
  readonly myId: string | undefined;
  readonly actions: UserActions;
}): JSX.Element => (
  // Roles are written out: as blocks on a phone, the elements alone would no longer be a table to a screen reader.
  <table
    role="table"
    class="panel w-full border-separate border-spacing-0 max-md:block"
    aria-label={t("users.listLabel")}
  >
    <thead role="rowgroup" class="max-md:sr-only">
      <tr role="row">
        <For each={COLUMNS}>
          {(column) => (
            <th role="columnheader" scope="col" class="label px-4 py-2 text-left">
              {t(`users.column.${column}`)}
            </th>
          )}
        </For>
        <th role="columnheader" scope="col" class="label px-4 py-2 text-right">
          {t("users.column.actions")}
        </th>
      </tr>
    </thead>
    <tbody role="rowgroup" class="max-md:block">
      <For each={props.users}>
        {(user) => <UserRow user={user} isMe={user.id === props.myId} actions={props.actions} />}
      </For>
    </tbody>
  </table>
);

/** People and teams of the platform, for its admins (ADM-1, IDN-0, IDN-2). */
export const AdminUsersPage = (): JSX.Element => {
  const me = useMe();
  const searchId = createUniqueId();
  const search = createSearch();
  const [open, setOpen] = createSignal<Open>();
  let opener: HTMLElement | undefined;
  const begin = (next: Open): void => {
    opener = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    setOpen(next);
  };
  const enabling = createAction();
  const teams = useQuery(() => ({ queryKey: keys.adminTeams, queryFn: () => call("listTeams") }));
  const query = useInfiniteQuery(() => ({
    queryKey: keys.adminUsers(search.wanted()),
    queryFn: ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }) =>
      call("listUsers", { query: { search: search.wanted(), cursor: pageParam, limit: 50 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { next: string | null }) => page.next ?? undefined,
    // While somebody types, the people found before stay on the screen.
    placeholderData: keepPreviousData,
  }));
  const myId = (): string | undefined => (me.isPending ? undefined : (me.data?.id ?? undefined));
  const refresh = (user: AdminUser): void => {
    void queryClient.invalidateQueries({ queryKey: keys.allAdminUsers });
    void queryClient.invalidateQueries({ queryKey: keys.adminTeams });
    if (user.id === myId()) void queryClient.invalidateQueries({ queryKey: keys.me });
  };
  const saved = ({ user, oneTimePassword }: SavedUser): void => {
    refresh(user);
    if (oneTimePassword !== undefined) return void setOpen({ kind: "password", user, password: oneTimePassword });
    setOpen(undefined);
    toast(t("users.form.saved", { name: user.displayName }));
  };
  const disabled = (user: AdminUser): void => {
    refresh(user);
    setOpen(undefined);
    toast(t("users.disabled", { name: user.displayName }));
  };
  const enable = async (user: AdminUser): Promise<void> => {
    const done = await enabling.run(async () => refresh(await call("enableUser", { params: { userId: user.id } })));
    if (done) toast(t("users.enabled", { name: user.displayName }));
  };
  const actions: UserActions = {
    edit: (user) => begin({ kind: "edit", user }),
    reset: (user) => begin({ kind: "reset", user }),
    disable: (user) => begin({ kind: "disable", user }),
    enable: (user) => void enable(user),
  };
  return (
    <Page wide>
      <PageHeader
        title={t("users.title")}
        lead={t("users.intro")}
        actions={
          <button type="button" class="btn btn-primary" onClick={() => begin({ kind: "create" })}>
            <Plus size={16} aria-hidden="true" />
            {t("users.add")}
          </button>
        }
      />
      <div class="max-w-sm">
        <label class="label mb-1 block" for={searchId}>
          {t("users.search")}
        </label>
        <input
          id={searchId}
          class="input"
          type="search"
          maxLength={200}
          autocomplete="off"
          value={search.typed()}
          onInput={(event) => search.type(event.currentTarget.value)}
        />
      </div>
      <ErrorLine error={enabling.failure()} />
      <QueryPanel query={query} rows={6}>
        {(data) => (
          <Show
            when={data().pages.some((page) => page.items.length > 0)}
            fallback={<EmptyState title={t("users.empty")}>{t("users.emptyHint")}</EmptyState>}
          >
            <UserTable users={data().pages.flatMap((page) => page.items)} myId={myId()} actions={actions} />
            <Show when={query.hasNextPage}>
              <button
                type="button"
                class="btn btn-sm self-start"
                disabled={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t("users.more")}
              </button>
            </Show>
          </Show>
        )}
      </QueryPanel>
      <TeamSection query={teams} />
      <UserDialogs
        open={open()}
        teams={teams.isPending ? [] : (teams.data?.items ?? [])}
        myId={myId()}
        returnTo={() => (opener?.isConnected === true ? opener : undefined)}
        onClose={() => setOpen(undefined)}
        onSaved={saved}
        onDisabled={disabled}
      />
    </Page>
  );
};
