import type { JSX } from "solid-js";
import { asProblem, call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { queryClient } from "../../../data/query.ts";
import { models as t } from "../../../i18n/models.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import type { FieldProps } from "../../../ui/form-field.tsx";
import { createAction, type Action } from "../../settings/save.ts";
import { FormFrame } from "../form-frame.tsx";

/** What the server found wrong with a field, worded; undefined for faults of other fields. */
export const faultOf = (action: Action, field: string): string | undefined => {
  if (action.failure() === null) return undefined;
  const fault = asProblem(action.failure()).fields[field];
  if (fault === undefined) return undefined;
  return fault === "taken" ? t("taken") : fault === "bad_text" ? t("badText") : undefined;
};

export const refreshModels = (): void => {
  void queryClient.invalidateQueries({ queryKey: keys.adminModels });
  // What can be chosen in a workspace follows.
  void queryClient.invalidateQueries({ queryKey: ["ws"] });
};

/** One line of text in a form. */
export const TextInput = (props: {
  readonly field: FieldProps;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly max?: number;
  readonly mono?: boolean;
  readonly disabled?: boolean;
  readonly mode?: "numeric" | "decimal" | "url";
}): JSX.Element => (
  <input
    {...props.field}
    class={`input ${props.mono === true ? "font-mono" : ""}`}
    name={props.name}
    inputmode={props.mode}
    maxlength={props.max}
    autocomplete="off"
    autocapitalize="off"
    spellcheck={false}
    disabled={props.disabled === true}
    value={props.value}
    onInput={(event) => props.onInput(event.currentTarget.value)}
  />
);

export const Check = (props: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}): JSX.Element => (
  <label class="flex items-start gap-2">
    <input
      type="checkbox"
      class="mt-0.5 size-4 shrink-0 accent-accent"
      checked={props.checked}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
    <span>
      <span class="font-medium">{props.label}</span>
      {props.hint === undefined ? null : <span class="block text-meta text-ink-2">{props.hint}</span>}
    </span>
  </label>
);

/** Asks once more before something is taken away. */
export const ConfirmDialog = (props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly body: string;
  readonly confirm: string;
  readonly work: () => Promise<unknown>;
  readonly onDone: () => void;
}): JSX.Element => {
  const action = createAction();
  const submit = async (): Promise<void> => {
    const done = await action.run(async () => {
      await props.work();
    });
    if (!done) return;
    props.onOpenChange(false);
    props.onDone();
  };
  return (
    <Dialog open={props.open} onOpenChange={props.onOpenChange} title={props.title} description={props.body}>
      <FormFrame
        save={props.confirm}
        danger
        busy={action.busy()}
        failure={action.failure()}
        onSubmit={() => void submit()}
        onCancel={() => props.onOpenChange(false)}
      >
        {null}
      </FormFrame>
    </Dialog>
  );
};

/** Everything the page of models shows; asked for again while a job is under way. */
export const loadModels = () => call("listModels");
