import { Navigate, useNavigate, useSearchParams } from "@solidjs/router";
import { createSignal, Show } from "solid-js";
import { call } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { queryClient } from "../data/query.ts";
import { returnPath } from "../data/return-path.ts";
import { useMe } from "../data/session.ts";
import { t } from "../i18n/index.ts";
import { tAuth } from "../i18n/auth.ts";
import { ErrorLine } from "../ui/error-panel.tsx";
import { FormField } from "../ui/form-field.tsx";
import { usePageTitle } from "../ui/page-header.tsx";
import { SecretField } from "../ui/secret-field.tsx";
import { toast } from "../ui/toast.tsx";

const MIN_LENGTH = 12;

/** Set an own password: demanded after a one-time one, offered in the account page otherwise. */
export const PasswordPage = () => {
  const me = useMe();
  const navigate = useNavigate();
  const [query] = useSearchParams<{ return?: string }>();
  const [current, setCurrent] = createSignal("");
  const [next, setNext] = createSignal("");
  const [again, setAgain] = createSignal("");
  const [checked, setChecked] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>(null);
  usePageTitle(() => tAuth("change.title"));
  const person = () => (me.isPending || me.isError ? undefined : me.data);
  const short = (): boolean => checked() && Array.from(next()).length < MIN_LENGTH;
  const differs = (): boolean => checked() && !short() && next() !== again();

  const submit = async (): Promise<void> => {
    setChecked(true);
    setError(null);
    if (short() || differs() || busy()) return;
    setBusy(true);
    try {
      await call("changePassword", { body: { current: current(), next: next() } });
      await queryClient.invalidateQueries({ queryKey: keys.me });
      toast(tAuth("change.done"));
      navigate(returnPath(query.return), { replace: true });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };

  return (
    <main class="mx-auto flex min-h-dvh w-full max-w-md flex-col justify-center gap-5 px-4 py-8">
      <Show when={person() === null}>
        <Navigate href="/login?return=%2Fpassword" />
      </Show>
      <header>
        <h1 class="text-2xl">{tAuth("change.title")}</h1>
        <p class="mt-1 text-ink-2">
          {person()?.mustChangePassword === true ? tAuth("change.must") : tAuth("change.may")}
        </p>
      </header>
      <form
        class="panel flex flex-col gap-4 p-5"
        novalidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {/* Password stores need the name beside the new password. */}
        <input
          class="sr-only"
          name="username"
          autocomplete="username"
          tabindex="-1"
          aria-hidden="true"
          readOnly
          value={person()?.name ?? ""}
        />
        <FormField label={tAuth("change.current")} required>
          {(field) => (
            <SecretField
              field={field}
              name="current"
              value={current()}
              onInput={setCurrent}
              autocomplete="current-password"
            />
          )}
        </FormField>
        <FormField
          label={tAuth("change.next")}
          help={tAuth("change.nextHelp")}
          required
          error={short() ? tAuth("change.short") : undefined}
        >
          {(field) => (
            <SecretField field={field} name="next" value={next()} onInput={setNext} autocomplete="new-password" />
          )}
        </FormField>
        <FormField label={tAuth("change.again")} required error={differs() ? tAuth("change.differs") : undefined}>
          {(field) => (
            <SecretField field={field} name="again" value={again()} onInput={setAgain} autocomplete="new-password" />
          )}
        </FormField>
        <ErrorLine error={error()} />
        <div class="flex flex-wrap gap-2">
          <button type="submit" class="btn btn-primary" aria-disabled={busy()}>
            {tAuth("change.submit")}
          </button>
          <Show when={person()?.mustChangePassword === false}>
            <button type="button" class="btn" onClick={() => navigate(returnPath(query.return))}>
              {t("act.cancel")}
            </button>
          </Show>
        </div>
      </form>
    </main>
  );
};
