import { type JSX, onMount } from "solid-js";
import { admin as t } from "../../i18n/admin.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

/** A one-time password, shown once; it leaves the page's memory with this view (IDN-2). */
export const OneTimePassword = (props: { readonly password: string; readonly onDone: () => void }): JSX.Element => {
  let panel: HTMLElement | undefined;
  // What had the focus is gone with the form before it.
  onMount(() => panel?.focus());
  return (
    <div
      class="flex flex-col gap-3 outline-none"
      role="group"
      tabindex={-1}
      aria-label={t("users.password.label")}
      ref={(element) => (panel = element)}
    >
      <div>
        <p class="label">{t("users.password.label")}</p>
        <p class="mt-1 flex flex-wrap items-center gap-2 rounded-control border border-line-strong bg-sunken px-3 py-2">
          <code class="min-w-0 flex-1 font-mono text-lg [overflow-wrap:anywhere]" data-testid="one-time-password">
            {props.password}
          </code>
          <CopyButton text={props.password} label={t("users.password.copy")} withText />
        </p>
      </div>
      <p class="font-medium text-warn">{t("users.password.once")}</p>
      <p class="text-ink-2">{t("users.password.next")}</p>
      <button type="button" class="btn btn-primary self-end" onClick={() => props.onDone()}>
        {t("users.password.done")}
      </button>
    </div>
  );
};
