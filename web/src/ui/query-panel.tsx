import { type JSX, Match, Show, Switch } from "solid-js";
import { asProblem } from "../data/client.ts";
import { t } from "../i18n/index.ts";
import { ErrorPanel } from "./error-panel.tsx";
import { NothingHere } from "./nothing-here.tsx";
import { PageHeader } from "./page-header.tsx";
import { Skeleton } from "./skeleton.tsx";

interface QueryLike<T> {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly data: T | undefined;
  readonly refetch: () => unknown;
}

const isNotFound = (query: QueryLike<unknown>): boolean =>
  query.isError && query.data === undefined && asProblem(query.error).code === "not_found";

/**
 * The three states of a read. Data is touched only once it is there, so nothing suspends; a failed refetch keeps what
 * is shown and says so above it.
 */
export const QueryPanel = <T,>(props: {
  readonly query: QueryLike<T>;
  readonly rows?: number | undefined;
  /** What is read is the page itself: without it, the page is one that says so. */
  readonly whole?: boolean;
  readonly children: (data: () => T) => JSX.Element;
}) => (
  <Switch>
    <Match when={props.query.isPending}>
      <Skeleton rows={props.rows} />
    </Match>
    <Match when={props.whole === true && isNotFound(props.query)}>
      <NothingHere />
    </Match>
    <Match when={props.query.isError && props.query.data === undefined}>
      <Show when={props.whole}>
        <PageHeader title={t("error.title")} />
      </Show>
      <ErrorPanel error={props.query.error} retry={() => void props.query.refetch()} />
    </Match>
    <Match when={props.query.data !== undefined ? { data: () => props.query.data as T } : undefined}>
      {(ready) => (
        <>
          <Show when={props.query.isError}>
            <ErrorPanel error={props.query.error} retry={() => void props.query.refetch()} />
          </Show>
          {props.children(ready().data)}
        </>
      )}
    </Match>
  </Switch>
);
