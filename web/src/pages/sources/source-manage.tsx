import type { Source } from "@aiw/contract/views";
import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { sources as t } from "../../i18n/sources.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { SecretField } from "../../ui/secret-field.tsx";
import { toast } from "../../ui/toast.tsx";

export interface ManageProps {
  readonly workspaceId: string;
  readonly source: Source;
}

/** Overwrites the stored credentials and tests the connection with the new ones (SRC-2). */
export const ReplaceToken = (props: ManageProps & { readonly onReplaced: () => void }): JSX.Element => {
  const [token, setToken] = createSignal("");
  const [username, setUsername] = createSignal(props.source.config.username ?? "");
  const [tried, setTried] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const save = async (): Promise<void> => {
    setTried(true);
    if (token() === "") return;
    setBusy(true);
    setFailure(null);
    try {
      const name = username().trim();
      const body =
        props.source.kind === "git" ? { token: token(), username: name === "" ? null : name } : { token: token() };
      const source = await call("replaceSecret", {
        params: { workspaceId: props.workspaceId, sourceId: props.source.id },
        body,
      });
      queryClient.setQueryData(keys.source(props.workspaceId, props.source.id), source);
      setToken("");
      setTried(false);
      toast(t("secret.saved"));
      props.onReplaced();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="panel flex flex-col gap-3 p-4"
      noValidate
      aria-labelledby="secret-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div>
        <h2 id="secret-title" class="text-lg">
          {t("secret.title")}
        </h2>
        <p class="text-ink-2">{t("secret.hint")}</p>
      </div>
      <Show when={props.source.kind === "git"}>
        <FormField label={t("field.username")} help={t("field.usernameHint")}>
          {(attrs) => (
            <input
              {...attrs}
              class="input"
              maxlength={200}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={username()}
              onInput={(event) => setUsername(event.currentTarget.value)}
            />
          )}
        </FormField>
      </Show>
      <FormField
        label={t("field.newToken")}
        help={t("field.tokenHint")}
        error={tried() && token() === "" ? t("secret.required") : undefined}
        required
      >
        {(attrs) => (
          <SecretField field={attrs} name="source-token" value={token()} onInput={setToken} autocomplete="off" />
        )}
      </FormField>
      <ErrorLine error={failure()} />
      <button type="submit" class="btn self-start" disabled={busy()}>
        {t("secret.save")}
      </button>
    </form>
  );
};

/** Disconnects a source after its name was typed. */
export const RemoveSource = (props: ManageProps): JSX.Element => {
  const navigate = useNavigate();
  const [open, setOpen] = createSignal(false);
  const [typed, setTyped] = createSignal("");
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const matches = (): boolean => typed().trim() === props.source.name;
  const toggle = (next: boolean): void => {
    setTyped("");
    setFailure(null);
    setOpen(next);
  };
  const remove = async (): Promise<void> => {
    if (!matches()) return;
    setBusy(true);
    setFailure(null);
    try {
      await call("removeSource", { params: { workspaceId: props.workspaceId, sourceId: props.source.id } });
      setOpen(false);
      navigate(`/w/${props.workspaceId}/sources`);
      toast(t("remove.done"));
      // Not what lies below: asking for the source that is gone would only answer that it is gone.
      void queryClient.invalidateQueries({ queryKey: keys.sources(props.workspaceId), exact: true });
      void queryClient.invalidateQueries({ queryKey: keys.workspace(props.workspaceId) });
      void queryClient.invalidateQueries({ queryKey: keys.tools(props.workspaceId) });
      void queryClient.invalidateQueries({ queryKey: keys.workspaces });
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="panel flex flex-col items-start gap-3 border-neg p-4" aria-labelledby="remove-title">
      <div>
        <h2 id="remove-title" class="text-lg">
          {t("remove.title")}
        </h2>
        <p class="max-w-[70ch] text-ink-2">{t("remove.hint")}</p>
      </div>
      <button type="button" class="btn btn-danger" onClick={() => toggle(true)}>
        {t("remove.button")}
      </button>
      <Dialog
        open={open()}
        onOpenChange={toggle}
        title={t("remove.confirmTitle", { name: props.source.name })}
        description={t("remove.hint")}
      >
        <form
          class="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            void remove();
          }}
        >
          <FormField label={t("remove.type", { name: props.source.name })} required>
            {(attrs) => (
              <input
                {...attrs}
                class="input"
                autocomplete="off"
                value={typed()}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </FormField>
          <ErrorLine error={failure()} />
          <div class="flex flex-wrap gap-2">
            <button type="submit" class="btn btn-danger" disabled={!matches() || busy()}>
              {t("remove.confirm")}
            </button>
            <button type="button" class="btn" onClick={() => toggle(false)}>
              {t("remove.back")}
            </button>
          </div>
        </form>
      </Dialog>
    </section>
  );
};
