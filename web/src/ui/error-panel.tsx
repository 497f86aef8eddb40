import { A } from "@solidjs/router";
import { Show } from "solid-js";
import { asProblem } from "../data/client.ts";
import { t } from "../i18n/index.ts";
import { problemText } from "../i18n/problems.ts";
import { CopyButton } from "./copy-button.tsx";

/** A failure a person can read: what failed, what to do, the number to ask with. */
export const ErrorPanel = (props: {
  readonly error: unknown;
  readonly title?: string | undefined;
  readonly retry?: (() => void) | undefined;
}) => {
  const problem = () => asProblem(props.error);
  return (
    <div role="alert" class="rounded-panel border border-neg bg-neg-bg p-4 text-ink">
      <p class="font-medium text-neg">{props.title ?? t("error.title")}</p>
      <p class="mt-1 max-w-[70ch]">{problemText(problem())}</p>
      <Show when={problem().requestId}>
        {(id) => (
          <p class="mt-2 flex flex-wrap items-center gap-1.5 text-meta text-ink">
            {t("error.requestId")} <code class="mono">{id()}</code> <CopyButton text={id()} small />
          </p>
        )}
      </Show>
      <Show when={problem().code === "not_found"}>
        <A href="/workspaces" class="btn btn-sm mt-3">
          {t("error.home")}
        </A>
      </Show>
      <Show when={problem().code !== "not_found" && props.retry}>
        {(retry) => (
          <button type="button" class="btn btn-sm mt-3" onClick={() => retry()()}>
            {t("act.retry")}
          </button>
        )}
      </Show>
    </div>
  );
};

/** A failure of a form or a button, in one line beside it. */
export const ErrorLine = (props: { readonly error: unknown }) => (
  <Show when={props.error !== null && props.error !== undefined}>
    <p role="alert" class="text-neg">
      {problemText(asProblem(props.error))}
      <Show when={asProblem(props.error).requestId}>
        {(id) => (
          <span class="text-meta text-ink-2">
            {" "}
            ({t("error.requestId")} <code class="mono break-all">{id()}</code>)
          </span>
        )}
      </Show>
    </p>
  </Show>
);
