import Eye from "lucide-solid/icons/eye";
import EyeOff from "lucide-solid/icons/eye-off";
import { createSignal, Show } from "solid-js";
import { t } from "../i18n/index.ts";
import type { FieldProps } from "./form-field.tsx";

/** Input for a password or token: masked, can be shown, takes pasted text, keeps every character. */
export const SecretField = (props: {
  readonly field: FieldProps;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly autocomplete: string;
  readonly disabled?: boolean | undefined;
  readonly autofocus?: boolean | undefined;
}) => {
  const [shown, setShown] = createSignal(false);
  return (
    <div class="relative">
      <input
        {...props.field}
        class="input pr-11"
        type={shown() ? "text" : "password"}
        name={props.name}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        autocomplete={props.autocomplete}
        autocapitalize="off"
        spellcheck={false}
        disabled={props.disabled ?? false}
        autofocus={props.autofocus ?? false}
      />
      <button
        type="button"
        class="btn-icon absolute inset-y-0 right-0 h-full"
        aria-pressed={shown()}
        aria-label={shown() ? t("secret.hide") : t("secret.show")}
        title={shown() ? t("secret.hide") : t("secret.show")}
        onClick={() => setShown(!shown())}
      >
        <Show when={shown()} fallback={<Eye size={16} aria-hidden="true" />}>
          <EyeOff size={16} aria-hidden="true" />
        </Show>
      </button>
    </div>
  );
};
