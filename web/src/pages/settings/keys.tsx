import type { ApiKey, ApiScope } from "@aiw/contract/keys";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { dateTime } from "../../i18n/index.ts";
import { settings as t } from "../../i18n/settings.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Person } from "../../ui/person.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { createAction } from "./save.ts";

const SCOPES = ["approvals.view", "approvals.decide", "runs.view", "runs.start"] as const satisfies readonly ApiScope[];
const LIVES = [7, 30, 90, 365] as const;

const stateOf = (key: ApiKey): "active" | "expired" | "revoked" =>
  key.revokedAt !== null ? "revoked" : key.expired ? "expired" : "active";

/** The key itself, once; it leaves the page's memory with this view (IDN-5). */
const OnceShown = (props: { readonly token: string; readonly onDone: () => void }): JSX.Element => {
  let panel: HTMLElement | undefined;
  onMount(() => panel?.focus());
  return (
    <div
      role="group"
      tabindex={-1}
      aria-label={t("keys.once.label")}
      ref={(element) => (panel = element)}
      class="panel flex flex-col gap-3 p-4 outline-none"
    >
      <p class="flex flex-wrap items-center gap-2 rounded-control border border-line-strong bg-sunken px-3 py-2">
        <code class="min-w-0 flex-1 font-mono [overflow-wrap:anywhere]" data-testid="api-key">
          {props.token}
        </code>
        <CopyButton text={props.token} label={t("keys.once.copy")} withText />
      </p>
      <p class="font-medium text-warn">{t("keys.once.hint")}</p>
      <button type="button" class="btn btn-primary self-end" onClick={() => props.onDone()}>
        {t("keys.once.done")}
      </button>
    </div>
  );
};

const NewKey = (props: { readonly workspaceId: string; readonly onMade: (token: string) => void }): JSX.Element => {
  const action = createAction();
  const [name, setName] = createSignal("");
  const [days, setDays] = createSignal<number>(30);
  const [scopes, setScopes] = createSignal<readonly ApiScope[]>(["approvals.view"]);
  const toggle = (scope: ApiScope): void =>
    void setScopes((all) => (all.includes(scope) ? all.filter((one) => one !== scope) : [...all, scope]));
  const make = (): Promise<boolean> =>
    action.run(async () => {
      const { token } = await call("createKey", {
        params: { workspaceId: props.workspaceId },
        body: { name: name().trim(), scopes: [...scopes()], expiresInDays: days() },
      });
      void queryClient.invalidateQueries({ queryKey: keys.apiKeys(props.workspaceId) });
      props.onMade(token);
    });
  return (
    <form
      class="panel flex flex-col gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h3 class="label">{t("keys.new")}</h3>
      <FormField label={t("keys.name")} required>
        {(field) => (
          <input
            {...field}
            class="input"
            maxlength={80}
            autocomplete="off"
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </FormField>
      <fieldset class="flex flex-col gap-1">
        <legend class="font-medium">{t("keys.scopes")}</legend>
        <For each={SCOPES}>
          {(scope) => (
            <label class="flex min-h-6 items-center gap-2">
              <input type="checkbox" checked={scopes().includes(scope)} onChange={() => toggle(scope)} />
              {t(`keys.scope.${scope}`)}
            </label>
          )}
        </For>
      </fieldset>
      <FormField label={t("keys.life")} help={t("keys.lifeHint")}>
        {(field) => (
          <select
            {...field}
            class="input w-auto self-start"
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          >
            <For each={LIVES}>
              {(life) => (
                <option value={life} selected={life === days()}>
                  {t("keys.days", { days: String(life) })}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <ErrorLine error={action.failure()} />
      <button
        type="submit"
        class="btn btn-primary self-start"
        disabled={action.busy() || name().trim() === "" || scopes().length === 0}
      >
        {t("keys.make")}
      </button>
    </form>
  );
};

const KeyRow = (props: { readonly workspaceId: string; readonly item: ApiKey }): JSX.Element => {
  const action = createAction();
  const [asked, setAsked] = createSignal(false);
  const revoke = (): Promise<boolean> =>
    action.run(async () => {
      await call("revokeKey", { params: { workspaceId: props.workspaceId, keyId: props.item.id } });
      void queryClient.invalidateQueries({ queryKey: keys.apiKeys(props.workspaceId) });
      toast(t("keys.revoked"));
    });
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-1 basis-60">
        <p class="font-medium [overflow-wrap:anywhere]">
          <VisibleText text={props.item.name} /> <code class="mono text-ink-2">…{props.item.last4}</code>
        </p>
        <p class="text-meta text-ink-2">{props.item.scopes.map((scope) => t(`keys.scope.${scope}`)).join(" · ")}</p>
        <p class="flex flex-wrap gap-x-3 text-meta text-ink-2">
          <Person person={props.item.owner} />
          <span>{t("keys.until", { time: dateTime(props.item.expiresAt) })}</span>
          <span>
            {props.item.lastUsedAt === null
              ? t("keys.neverUsed")
              : t("keys.lastUsed", { time: dateTime(props.item.lastUsedAt) })}
          </span>
        </p>
        <ErrorLine error={action.failure()} />
      </div>
      <Show
        when={stateOf(props.item) === "active"}
        fallback={<span class="badge border-line-strong text-ink-2">{t(`keys.state.${stateOf(props.item)}`)}</span>}
      >
        <Show
          when={asked()}
          fallback={
            <button type="button" class="btn btn-sm" onClick={() => setAsked(true)}>
              {t("keys.revoke")}
            </button>
          }
        >
          <button type="button" class="btn btn-sm btn-danger" disabled={action.busy()} onClick={() => void revoke()}>
            {t("keys.revokeNow")}
          </button>
        </Show>
      </Show>
    </li>
  );
};

/** API keys of services: one's own, for admins everybody's (IDN-5). A key acts with its owner's rights and nobody else's. */
export const KeySettings = (props: { readonly workspaceId: string }): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.apiKeys(props.workspaceId),
    queryFn: () => call("listKeys", { params: { workspaceId: props.workspaceId } }),
  }));
  const [token, setToken] = createSignal<string | null>(null);
  return (
    <section class="flex flex-col gap-4" aria-labelledby="keys-title">
      <div>
        <h2 id="keys-title" class="text-lg">
          {t("keys.title")}
        </h2>
        <p class="max-w-[70ch] text-ink-2">{t("keys.intro")}</p>
      </div>
      <Show when={token()} fallback={<NewKey workspaceId={props.workspaceId} onMade={(made) => setToken(made)} />}>
        {(made) => <OnceShown token={made()} onDone={() => setToken(null)} />}
      </Show>
      <QueryPanel query={query} rows={3}>
        {(data) => (
          <Show when={data().items.length > 0} fallback={<p class="text-ink-2">{t("keys.none")}</p>}>
            <ul class="panel divide-y divide-line">
              <For each={data().items}>{(item) => <KeyRow workspaceId={props.workspaceId} item={item} />}</For>
            </ul>
          </Show>
        )}
      </QueryPanel>
    </section>
  );
};
