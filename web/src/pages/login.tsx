import { Navigate, useNavigate, useSearchParams } from "@solidjs/router";
import { createSignal, For, Show } from "solid-js";
import { call } from "../data/client.ts";
import { returnPath } from "../data/return-path.ts";
import { enter, useConfig, useMe } from "../data/session.ts";
import { tAuth } from "../i18n/auth.ts";
import { ErrorLine } from "../ui/error-panel.tsx";
import { FormField } from "../ui/form-field.tsx";
import { LocaleSwitch } from "../ui/locale-switch.tsx";
import { usePageTitle } from "../ui/page-header.tsx";
import { SecretField } from "../ui/secret-field.tsx";

const DEMO_ROLES = ["owner", "member", "approver", "global", "admin", "outsider"] as const;
/** What a demo account is for, in the reader's language; an account this version does not know says it itself. */
const demoRole = (login: { readonly name: string; readonly role: string }): string => {
  const known = DEMO_ROLES.find((name) => name === login.name);
  return known === undefined ? login.role : tAuth(`demoRole.${known}`);
};

/** Sign-in with name and password; in development the demo accounts stand beside it. */
export const LoginPage = () => {
  const me = useMe();
  const config = useConfig();
  const navigate = useNavigate();
  const [query] = useSearchParams<{ return?: string }>();
  const [name, setName] = createSignal("");
  const [password, setPassword] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>(null);
  const [missing, setMissing] = createSignal(false);
  usePageTitle(() => tAuth("title"));
  const target = (): string => returnPath(query.return);

  const signIn = async (): Promise<void> => {
    setError(null);
    setMissing(name().trim() === "" || password() === "");
    if (missing() || busy()) return;
    setBusy(true);
    try {
      const person = await call("login", { body: { name: name().trim(), password: password() } });
      enter(person);
      navigate(person.mustChangePassword ? `/password?return=${encodeURIComponent(target())}` : target(), {
        replace: true,
      });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const demo = (login: { readonly name: string; readonly password: string }): void => {
    setName(login.name);
    setPassword(login.password);
    void signIn();
  };
  const known = () => (config.isPending || config.isError ? undefined : config.data);

  return (
    <main class="mx-auto flex min-h-dvh w-full max-w-md flex-col justify-center gap-5 px-4 py-8">
      <Show when={!me.isPending && !me.isError && me.data}>
        <Navigate href={target()} />
      </Show>
      <header class="flex flex-col gap-1">
        <p class="flex items-center gap-2 font-semibold">
          <img src="/icon.svg" alt="" width="24" height="24" /> AI Workspace
        </p>
        <h1 class="mt-3 text-2xl">{tAuth("title")}</h1>
        <p class="text-ink-2">{tAuth("lead")}</p>
      </header>
      <form
        class="panel flex flex-col gap-4 p-5"
        novalidate
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <FormField label={tAuth("name")} required>
          {(field) => (
            <input
              {...field}
              class="input"
              name="username"
              autocomplete="username"
              autocapitalize="none"
              spellcheck={false}
              autofocus
              value={name()}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </FormField>
        <FormField label={tAuth("password")} required error={missing() ? tAuth("missing") : undefined}>
          {(field) => (
            <SecretField
              field={field}
              name="password"
              value={password()}
              onInput={setPassword}
              autocomplete="current-password"
            />
          )}
        </FormField>
        <ErrorLine error={error()} />
        <button type="submit" class="btn btn-primary" aria-disabled={busy()}>
          {busy() ? tAuth("submitting") : tAuth("submit")}
        </button>
      </form>
      <Show when={(known()?.demoLogins.length ?? 0) > 0}>
        <section class="panel p-5" aria-labelledby="demo">
          <h2 id="demo" class="text-base">
            {tAuth("demoTitle")}
          </h2>
          <p class="mt-0.5 text-meta text-ink-2">{tAuth("demoLead")}</p>
          <ul class="mt-3 grid grid-cols-1 gap-1.5 sm:grid-cols-2">
            <For each={known()?.demoLogins}>
              {(login) => (
                <li>
                  <button type="button" class="btn w-full justify-start" onClick={() => demo(login)}>
                    <span class="font-medium">{login.name}</span>
                    <span class="truncate text-meta text-ink-2">{demoRole(login)}</span>
                  </button>
                </li>
              )}
            </For>
          </ul>
          <Show when={known()?.demoModel}>
            <p class="mt-3 text-meta text-ink-2">{tAuth("demoModel")}</p>
          </Show>
        </section>
      </Show>
      <footer class="flex items-center justify-between">
        <LocaleSwitch label={tAuth("language")} />
        <Show when={known()}>
          {(c) => <span class="text-meta text-ink-3">{tAuth("version", { version: c().version })}</span>}
        </Show>
      </footer>
    </main>
  );
};
