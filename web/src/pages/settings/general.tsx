import type { WorkspaceDetail } from "@aiw/contract/views";
import { createSignal, type JSX, Show } from "solid-js";
import { dateTime } from "../../i18n/index.ts";
import { settings as t } from "../../i18n/settings.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction, saveWorkspace } from "./save.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

/** Name and description. */
export const GeneralSettings = (props: { readonly ws: WorkspaceDetail; readonly isAdmin: boolean }): JSX.Element => {
  const [name, setName] = createSignal(props.ws.name);
  const [description, setDescription] = createSignal(props.ws.description);
  const action = createAction();
  const nameError = (): string | undefined => (name().trim() === "" ? t("general.nameRequired") : undefined);
  const save = async (): Promise<void> => {
    if (nameError() !== undefined) return;
    const saved = await action.run(() =>
      saveWorkspace(props.ws.id, { name: name().trim(), description: description().trim() }),
    );
    if (saved) toast(t("saved"));
  };
  return (
    <form
      class="panel flex flex-col gap-4 p-4"
      noValidate
      aria-labelledby="general-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 id="general-title" class="text-lg">
        {t("general.title")}
      </h2>
      <FormField label={t("general.name")} error={nameError()} required>
        {(attrs) => (
          <input
            {...attrs}
            class="input"
            maxlength={80}
            disabled={!props.isAdmin}
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </FormField>
      <FormField label={t("general.description")}>
        {(attrs) => (
          <textarea
            {...attrs}
            class="input"
            rows={3}
            maxlength={500}
            disabled={!props.isAdmin}
            value={description()}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </FormField>
      <dl class="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1">
        <dt class="text-ink-2">{t("general.team")}</dt>
        <dd>
          <VisibleText text={props.ws.team.name} />
        </dd>
        <dt class="text-ink-2">{t("general.created")}</dt>
        <dd>{dateTime(props.ws.createdAt)}</dd>
      </dl>
      <ErrorLine error={action.failure()} />
      <Show when={props.isAdmin}>
        <button type="submit" class="btn btn-primary self-start" disabled={action.busy()}>
          {t("save")}
        </button>
      </Show>
    </form>
  );
};
