import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { viewers as t } from "../i18n/viewers.ts";
import { entriesOf, type JsonReading, readJson } from "./json-text.ts";
import { VisibleText } from "./visible-text-view.tsx";

/** Entries of one level put into the page at once. */
const PAGE_ENTRIES = 100;
/** Levels that start open. */
const OPEN_DEPTH = 2;

function Leaf(props: { readonly value: unknown }): JSX.Element {
  return (
    <Switch fallback={<span class="text-info">{JSON.stringify(props.value) ?? "null"}</span>}>
      <Match when={typeof props.value === "string" && props.value.includes("\n") ? props.value : undefined}>
        {(text) => (
          <pre
            class="mt-1 max-h-96 overflow-auto rounded-control border border-line bg-sunken px-2 py-1 whitespace-pre-wrap [overflow-wrap:anywhere]"
            tabindex={0}
          >
            <VisibleText text={text()} />
          </pre>
        )}
      </Match>
      <Match when={typeof props.value === "string" ? { text: props.value } : undefined}>
        {(leaf) => (
          <span class="text-pos [overflow-wrap:anywhere]">
            "<VisibleText text={leaf().text} />"
          </span>
        )}
      </Match>
    </Switch>
  );
}

function Node(props: { readonly name: string | null; readonly value: unknown; readonly depth: number }): JSX.Element {
  const [shown, setShown] = createSignal(PAGE_ENTRIES);
  const name = (): JSX.Element => (
    <Show when={props.name}>
      {(text) => (
        <span class="text-ink-2">
          <VisibleText text={text()} />
          {": "}
        </span>
      )}
    </Show>
  );
  return (
    <Show
      when={entriesOf(props.value)}
      fallback={
        <div class="py-0.5 pl-4">
          {name()}
          <Leaf value={props.value} />
        </div>
      }
    >
      {(entries) => (
        <details open={props.depth < OPEN_DEPTH}>
          <summary class="min-h-6 py-0.5">
            {name()}
            <span class="text-ink-3">
              {Array.isArray(props.value) ? "[ ]" : "{ }"} {t("json.entries", entries().length)}
            </span>
          </summary>
          <div class="ml-1.5 border-l border-line pl-2">
            <For each={entries().slice(0, shown())}>
              {(entry) => <Node name={entry[0]} value={entry[1]} depth={props.depth + 1} />}
            </For>
            <Show when={entries().length > shown()}>
              <button type="button" class="btn btn-quiet btn-sm" onClick={() => setShown((n) => n + PAGE_ENTRIES)}>
                {t("json.more", entries().length - shown())}
              </button>
            </Show>
          </div>
        </details>
      )}
    </Show>
  );
}

/** A value as a tree that opens and closes; strings show hidden characters (APR-2). */
export function JsonTree(props: { readonly value: unknown }): JSX.Element {
  return (
    <div class="font-mono text-meta leading-5">
      <Node name={null} value={props.value} depth={0} />
    </div>
  );
}

const asJson = (reading: JsonReading): Extract<JsonReading, { kind: "json" }> | false =>
  reading.kind === "json" && reading;

/** JSON text as a tree; text that is no JSON, or is very large, as it is. */
export function JsonText(props: { readonly text: string }): JSX.Element {
  return (
    <Show when={asJson(readJson(props.text))} fallback={<RawText text={props.text} />}>
      {(json) => <JsonTree value={json().value} />}
    </Show>
  );
}

/** Text byte for byte in a box that scrolls, hidden characters visible. */
export function RawText(props: { readonly text: string; readonly label?: string }): JSX.Element {
  return (
    <pre
      class="max-h-[32rem] overflow-auto rounded-control border border-line bg-sunken px-2 py-1 font-mono text-meta leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      tabindex={0}
      role={props.label === undefined ? undefined : "group"}
      aria-label={props.label}
    >
      <VisibleText text={props.text} />
    </pre>
  );
}
