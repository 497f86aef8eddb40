import { A, useNavigate } from "@solidjs/router";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../data/client.ts";
import { keysOn, setKeysOn, setTheme, theme, type ThemeChoice } from "../data/prefs.ts";
import { leave, useMe } from "../data/session.ts";
import { tAuth } from "../i18n/auth.ts";
import { ErrorLine } from "../ui/error-panel.tsx";
import { LocaleSwitch } from "../ui/locale-switch.tsx";
import { Page } from "../ui/page.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { QueryPanel } from "../ui/query-panel.tsx";
import { VisibleText } from "../ui/visible-text-view.tsx";

const THEMES: readonly ThemeChoice[] = ["system", "light", "dark"];

const Section = (props: { readonly title: string; readonly children: JSX.Element }) => (
  <section class="panel flex flex-col gap-4 p-5">
    <h2 class="text-lg">{props.title}</h2>
    {props.children}
  </section>
);

/** The own account: who one is, language, colours, keyboard, password, sign out. */
export const MePage = () => {
  const me = useMe();
  const navigate = useNavigate();
  const [error, setError] = createSignal<unknown>(null);
  const signOut = async (): Promise<void> => {
    setError(null);
    try {
      await call("logout");
      leave();
      navigate("/login", { replace: true });
    } catch (problem) {
      setError(problem);
    }
  };
  const rights = (): string =>
    [
      me.data?.isPlatformAdmin === true ? tAuth("me.platformAdmin") : "",
      me.data?.isGlobalApprover === true ? tAuth("me.globalApprover") : "",
    ]
      .filter((x) => x !== "")
      .join(", ");
  return (
    <Page>
      <PageHeader title={tAuth("me.title")} />
      <QueryPanel query={me}>
        {(person) => (
          <Show when={person()}>
            {(p) => (
              <section class="panel p-5">
                <p class="text-lg font-semibold">
                  <VisibleText text={p().displayName} />
                </p>
                <p class="text-ink-2">{p().name}</p>
                <dl class="mt-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
                  <dt class="text-ink-2">{tAuth("me.teams")}</dt>
                  <dd>
                    {p().teams.length === 0
                      ? tAuth("me.noTeams")
                      : p()
                          .teams.map((team) => team.name)
                          .join(", ")}
                  </dd>
                  <dt class="text-ink-2">{tAuth("me.rights")}</dt>
                  <dd>{rights() === "" ? tAuth("me.none") : rights()}</dd>
                </dl>
              </section>
            )}
          </Show>
        )}
      </QueryPanel>
      <Section title={tAuth("me.appearance")}>
        <div class="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span class="w-full md:w-24">{tAuth("language")}</span>
          <LocaleSwitch label={tAuth("language")} />
        </div>
        <fieldset class="flex flex-wrap items-center gap-x-4 gap-y-2">
          <legend class="mb-1 md:float-left md:mb-0 md:w-24">{tAuth("me.theme")}</legend>
          <For each={THEMES}>
            {(choice) => (
              <label class="inline-flex min-h-8 items-center gap-2">
                <input
                  type="radio"
                  name="theme"
                  class="size-4 accent-accent"
                  checked={theme() === choice}
                  onChange={() => setTheme(choice)}
                />
                {tAuth(`me.${choice}`)}
              </label>
            )}
          </For>
        </fieldset>
      </Section>
      <Section title={tAuth("me.keysTitle")}>
        <label class="flex items-start gap-2">
          <input
            type="checkbox"
            class="mt-0.5 size-4 accent-accent"
            checked={keysOn()}
            onChange={(event) => setKeysOn(event.currentTarget.checked)}
            aria-describedby="keys-help"
          />
          <span>
            {tAuth("me.keys")}
            <span id="keys-help" class="block text-meta text-ink-2">
              {tAuth("me.keysHelp")}
            </span>
          </span>
        </label>
      </Section>
      <Section title={tAuth("me.security")}>
        <div class="flex flex-wrap gap-2">
          <A href="/password?return=%2Fme" class="btn">
            {tAuth("me.changePassword")}
          </A>
          <button type="button" class="btn" onClick={() => void signOut()}>
            {tAuth("me.signOut")}
          </button>
        </div>
        <ErrorLine error={error()} />
      </Section>
    </Page>
  );
};
