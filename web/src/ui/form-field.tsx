import { createUniqueId, type JSX, Show } from "solid-js";
import { t } from "../i18n/index.ts";

export interface FieldProps {
  readonly id: string;
  readonly required: boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": "true" | undefined;
}

/** Label, help and error of one input, tied together: `<FormField label="Name">{(f) => <input class="input" {...f} />}</FormField>`. */
export const FormField = (props: {
  readonly label: string;
  readonly help?: JSX.Element;
  readonly error?: string | undefined;
  readonly required?: boolean | undefined;
  readonly children: (field: FieldProps) => JSX.Element;
}) => {
  const id = createUniqueId();
  const field: FieldProps = {
    id,
    get required() {
      return props.required === true;
    },
    get "aria-describedby"() {
      const ids = [props.error === undefined ? "" : `${id}-error`, props.help === undefined ? "" : `${id}-help`].filter(
        (x) => x !== "",
      );
      return ids.length === 0 ? undefined : ids.join(" ");
    },
    get "aria-invalid"() {
      return props.error === undefined ? undefined : ("true" as const);
    },
  };
  return (
    <div class="flex flex-col gap-1">
      <label for={id} class="font-medium">
        {props.label}
        <Show when={props.required === true}>
          <span class="text-neg" title={t("required")} aria-hidden="true">
            {" "}
            *
          </span>
        </Show>
      </label>
      {props.children(field)}
      <Show when={props.error}>
        <p id={`${id}-error`} class="text-neg">
          {props.error}
        </p>
      </Show>
      <Show when={props.help !== undefined}>
        <p id={`${id}-help`} class="text-meta text-ink-2">
          {props.help}
        </p>
      </Show>
    </div>
  );
};
