import { createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import { Dynamic } from "solid-js/web";
import { t } from "../i18n/index.ts";
import { CodeBlock } from "./code-block.tsx";
import { type Align, type Block, type Inline, readMarkdown } from "./markdown-model.ts";
import { VisibleText } from "./visible-text-view.tsx";

type Of<T extends { readonly kind: string }, K extends T["kind"]> = Extract<T, { readonly kind: K }>;
const pick = <T extends { readonly kind: string }, K extends T["kind"]>(node: T, kind: K): Of<T, K> | undefined =>
  node.kind === kind ? (node as Of<T, K>) : undefined;

const Link = (props: { readonly node: Of<Inline, "link"> }) => (
  <>
    <a class="link break-words" href={props.node.href} target="_blank" rel="noopener noreferrer nofollow">
      <Inlines nodes={props.node.children} />
    </a>
    <Show when={!props.node.bare}>
      <span class="text-meta break-all text-ink-3"> ({props.node.href})</span>
    </Show>
  </>
);

const Inlines = (props: { readonly nodes: readonly Inline[] }): JSX.Element => (
  <For each={props.nodes}>
    {(node) => (
      <Switch>
        <Match when={pick(node, "text")}>{(n) => <VisibleText text={n().text} marks="hidden" />}</Match>
        <Match when={pick(node, "code")}>
          {(n) => (
            <code class="rounded-badge bg-mute-bg px-1 py-px font-mono text-[0.92em] break-words">
              <VisibleText text={n().text} marks="hidden" />
            </code>
          )}
        </Match>
        <Match when={pick(node, "strong")}>
          {(n) => (
            <strong class="font-semibold">
              <Inlines nodes={n().children} />
            </strong>
          )}
        </Match>
        <Match when={pick(node, "em")}>
          {(n) => (
            <em>
              <Inlines nodes={n().children} />
            </em>
          )}
        </Match>
        <Match when={pick(node, "del")}>
          {(n) => (
            <del>
              <Inlines nodes={n().children} />
            </del>
          )}
        </Match>
        <Match when={node.kind === "br"}>
          <br />
        </Match>
        <Match when={pick(node, "link")}>{(n) => <Link node={n()} />}</Match>
        <Match when={pick(node, "image")}>
          {(n) => (
            <span class="break-all text-ink-2">
              [{n().alt === "" ? t("md.image") : n().alt}: {n().url}]
            </span>
          )}
        </Match>
      </Switch>
    )}
  </For>
);

const alignClass = (align: Align | undefined): string =>
  align === "right" ? "text-right" : align === "center" ? "text-center" : "text-left";

const Table = (props: { readonly node: Of<Block, "table"> }) => (
  <div class="overflow-x-auto" tabindex="0" role="group" aria-label={t("md.table")}>
    <table class="border-collapse text-base">
      <thead>
        <tr>
          <For each={props.node.head}>
            {(cell, i) => (
              <th class={`border border-line bg-sunken px-2.5 py-1 font-semibold ${alignClass(props.node.align[i()])}`}>
                <Inlines nodes={cell} />
              </th>
            )}
          </For>
        </tr>
      </thead>
      <tbody>
        <For each={props.node.rows}>
          {(row) => (
            <tr>
              <For each={row}>
                {(cell, i) => (
                  <td class={`border border-line px-2.5 py-1 align-top ${alignClass(props.node.align[i()])}`}>
                    <Inlines nodes={cell} />
                  </td>
                )}
              </For>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  </div>
);

const List = (props: { readonly node: Of<Block, "list"> }) => {
  const items = () => (
    <For each={props.node.items}>
      {(item) => (
        <li class={item.checked === null ? "pl-1" : "list-none"}>
          <Show when={item.checked !== null}>
            <span aria-hidden="true" class="font-mono">
              {item.checked === true ? "[x] " : "[ ] "}
            </span>
          </Show>
          <Blocks nodes={item.children} tight />
        </li>
      )}
    </For>
  );
  return (
    <Show when={props.node.start !== null} fallback={<ul class="list-disc space-y-1 pl-6">{items()}</ul>}>
      <ol class="list-decimal space-y-1 pl-6" start={props.node.start ?? 1}>
        {items()}
      </ol>
    </Show>
  );
};

const HEADING = { 3: "text-lg", 4: "text-base", 5: "text-base", 6: "text-meta" } as const;

const Blocks = (props: { readonly nodes: readonly Block[]; readonly tight?: boolean | undefined }): JSX.Element => (
  <For each={props.nodes}>
    {(node) => (
      <Switch>
        <Match when={pick(node, "paragraph")}>
          {(n) => (
            <Show
              when={props.tight === true}
              fallback={
                <p class="break-words">
                  <Inlines nodes={n().children} />
                </p>
              }
            >
              <span class="break-words">
                <Inlines nodes={n().children} />
              </span>
            </Show>
          )}
        </Match>
        <Match when={pick(node, "heading")}>
          {(n) => (
            <Dynamic component={`h${n().level}`} class={`font-semibold break-words ${HEADING[n().level]}`}>
              <Inlines nodes={n().children} />
            </Dynamic>
          )}
        </Match>
        <Match when={pick(node, "code")}>{(n) => <CodeBlock text={n().text} lang={n().lang} />}</Match>
        <Match when={pick(node, "quote")}>
          {(n) => (
            <blockquote class="space-y-2 border-l-2 border-line-strong pl-3 text-ink-2">
              <Blocks nodes={n().children} />
            </blockquote>
          )}
        </Match>
        <Match when={pick(node, "list")}>{(n) => <List node={n()} />}</Match>
        <Match when={pick(node, "table")}>{(n) => <Table node={n()} />}</Match>
        <Match when={node.kind === "rule"}>
          <hr class="border-line" />
        </Match>
        <Match when={pick(node, "plain")}>
          {(n) => (
            <p class="break-words whitespace-pre-wrap">
              <VisibleText text={n().text} marks="hidden" />
            </p>
          )}
        </Match>
      </Switch>
    )}
  </For>
);

/** An answer of the model, rendered by an allowlist of elements (CHT-7). */
export const Markdown = (props: { readonly text: string }) => {
  const nodes = createMemo(() => readMarkdown(props.text));
  return (
    <div class="space-y-3">
      <Blocks nodes={nodes()} />
    </div>
  );
};
