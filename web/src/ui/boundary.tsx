import { ErrorBoundary, type JSX, Suspense } from "solid-js";
import { t } from "../i18n/index.ts";
import { Skeleton } from "./skeleton.tsx";

/** A fault of ours blanks one area, not the page. */
export const Guard = (props: { readonly children: JSX.Element }) => (
  <ErrorBoundary
    fallback={(_, reset) => (
      <div role="alert" class="rounded-panel border border-neg bg-neg-bg p-4">
        <p class="font-medium text-neg">{t("error.view")}</p>
        <p class="mt-1">{t("error.viewBody")}</p>
        <button type="button" class="btn btn-sm mt-3" onClick={reset}>
          {t("act.retry")}
        </button>
      </div>
    )}
  >
    {props.children}
  </ErrorBoundary>
);

/** Waits for a lazily loaded page. */
export const Wait = (props: { readonly children: JSX.Element }) => (
  <Suspense fallback={<Skeleton rows={6} />}>{props.children}</Suspense>
);
