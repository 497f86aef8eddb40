import { createSignal, type JSX } from "solid-js";
import { models as t } from "../../../i18n/models.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { SecretField } from "../../../ui/secret-field.tsx";
import { createAction } from "../../settings/save.ts";
import { FormFrame } from "../form-frame.tsx";

/** What the API takes as a key: it travels in a header. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]{8,4000}$/.test(text);

/** A new key for a gateway. It leaves this page with the request and is kept nowhere here. */
export const KeyForm = (props: {
  readonly onSave: (key: string) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}): JSX.Element => {
  const action = createAction();
  const [tried, setTried] = createSignal(false);
  const [key, setKey] = createSignal("");
  const submit = async (): Promise<void> => {
    setTried(true);
    if (!isKey(key())) return;
    const done = await action.run(async () => {
      await props.onSave(key());
    });
    if (!done) return;
    setKey("");
    props.onDone();
  };
  return (
    <FormFrame
      save={t("save")}
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void submit()}
      onCancel={props.onCancel}
    >
      <FormField
        label={t("key.field")}
        help={t("key.fieldHint")}
        error={tried() && !isKey(key()) ? t("key.invalid") : undefined}
        required
      >
        {(field) => <SecretField field={field} name="gateway-key" value={key()} onInput={setKey} autocomplete="off" />}
      </FormField>
    </FormFrame>
  );
};
