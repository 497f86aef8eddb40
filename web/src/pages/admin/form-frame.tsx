import type { JSX } from "solid-js";
import { t as words } from "../../i18n/index.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";

/** A form of a dialog: its fields, what went wrong, and the way out beside the button that names the effect. */
export const FormFrame = (props: {
  readonly save: string;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly failure: unknown;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: JSX.Element;
}): JSX.Element => (
  <form
    class="flex flex-col gap-4"
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      props.onSubmit();
    }}
  >
    {props.children}
    <ErrorLine error={props.failure} />
    <div class="flex flex-wrap justify-end gap-2">
      <button type="button" class="btn" onClick={() => props.onCancel()}>
        {words("act.cancel")}
      </button>
      <button
        type="submit"
        class={`btn ${props.danger === true ? "btn-danger" : "btn-primary"}`}
        aria-disabled={props.busy}
      >
        {props.save}
      </button>
    </div>
  </form>
);
