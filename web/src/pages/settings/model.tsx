import type { ModelChoice, WorkspaceModels } from "@aiw/contract/models";
import { createSignal, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { useWorkspaceModels } from "../../data/models.ts";
import { queryClient } from "../../data/query.ts";
import { models as t } from "../../i18n/models.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { answeredBy, modelName, ModelSelect } from "../../ui/model-choice.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction } from "./save.ts";

const ChoiceForm = (props: {
  readonly workspaceId: string;
  readonly data: WorkspaceModels;
  readonly isAdmin: boolean;
}): JSX.Element => {
  const [draft, setDraft] = createSignal<{ readonly choice: ModelChoice }>();
  const action = createAction();
  const chosen = (): ModelChoice => draft()?.choice ?? (draft() === undefined ? props.data.choice : null);
  const platform = (): string | undefined => modelName(props.data, props.data.classes.standard);
  const inherit = (): string => {
    const name = platform();
    return name === undefined ? t("choice.inheritNone") : t("choice.inherit", { name });
  };
  const gone = (): string | undefined =>
    props.data.choice !== null && answeredBy(props.data, props.data.choice) === null
      ? modelName(props.data, props.data.effective)
      : undefined;
  const save = async (): Promise<void> => {
    const choice = chosen();
    const saved = await action.run(async () => {
      const answer = await call("setWorkspaceModel", { params: { workspaceId: props.workspaceId }, body: { choice } });
      queryClient.setQueryData(keys.wsModels(props.workspaceId), answer);
    });
    if (!saved) return;
    setDraft(undefined);
    toast(t("choice.chosen"));
  };
  return (
    <form
      class="panel flex flex-col gap-4 p-4"
      noValidate
      aria-labelledby="model-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 id="model-title" class="text-lg">
        {t("choice.title")}
      </h2>
      <FormField label={t("choice.label")} help={t("choice.hint")}>
        {(field) => (
          <ModelSelect
            field={field}
            data={props.data}
            choice={chosen()}
            inherit={inherit()}
            disabled={!props.isAdmin}
            onChoose={(choice) => setDraft({ choice })}
          />
        )}
      </FormField>
      <Show when={gone()}>{(name) => <p class="text-warn">{t("choice.goneHint", { name: name() })}</p>}</Show>
      <Show when={props.data.effective === null}>
        <p class="text-warn">{t("choice.nobody")}</p>
      </Show>
      <ErrorLine error={action.failure()} />
      <Show when={props.isAdmin}>
        <button type="submit" class="btn btn-primary self-start" aria-disabled={action.busy()}>
          {t("save")}
        </button>
      </Show>
    </form>
  );
};

/** Which model answers in this workspace (GW-2). */
export const ModelSettings = (props: { readonly workspaceId: string; readonly isAdmin: boolean }): JSX.Element => {
  const query = useWorkspaceModels(() => props.workspaceId);
  return (
    <QueryPanel query={query} rows={2}>
      {(data) => <ChoiceForm workspaceId={props.workspaceId} data={data()} isAdmin={props.isAdmin} />}
    </QueryPanel>
  );
};
