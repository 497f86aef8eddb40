import { createEffect, createSignal, For, type JSX, Show } from "solid-js";
import { viewers as t } from "../i18n/viewers.ts";
import type { DiffHunk, DiffLine } from "./diff-model.ts";
import type { DiffPart } from "./diff-words.ts";
import { TextPartView } from "./visible-text-view.tsx";

/** Lines put into the page at once; the rest waits for a click that says how many there are. */
const PAGE_LINES = 800;

const SIGN = { add: "+", del: "−", context: " " } as const;
const ROW = { add: "bg-diff-add", del: "bg-diff-del", context: "" } as const;
const WORD = { add: "bg-diff-add-word", del: "bg-diff-del-word", context: "" } as const;
const INK = { add: "text-pos", del: "text-neg", context: "text-ink-3" } as const;

function Part(props: { readonly part: DiffPart; readonly kind: DiffLine["kind"] }): JSX.Element {
  return (
    <Show when={props.part.changed} fallback={<TextPartView part={props.part} />}>
      <span class={`rounded-badge ${WORD[props.kind]}`}>
        <TextPartView part={props.part} />
      </span>
    </Show>
  );
}

function Line(props: { readonly line: DiffLine; readonly wrap: boolean }): JSX.Element {
  return (
    <>
      <tr class={ROW[props.line.kind]}>
        <td class="num w-8 min-w-8 px-1 md:w-10 md:min-w-10 text-right align-top text-ink-3 select-none">
          {props.line.oldLine}
        </td>
        <td class="num w-8 min-w-8 px-1 md:w-10 md:min-w-10 text-right align-top text-ink-3 select-none">
          {props.line.newLine}
        </td>
        <td class={`w-5 min-w-5 text-center align-top select-none ${INK[props.line.kind]}`}>
          <span aria-hidden="true">{SIGN[props.line.kind]}</span>
          <Show when={props.line.kind !== "context"}>
            <span class="sr-only">{props.line.kind === "add" ? t("diff.addedLine") : t("diff.deletedLine")}</span>
          </Show>
        </td>
        <td
          class={`pr-3 align-top [tab-size:4] ${props.wrap ? "whitespace-pre-wrap [overflow-wrap:anywhere]" : "whitespace-pre"}`}
        >
          <For each={props.line.parts}>{(part) => <Part part={part} kind={props.line.kind} />}</For>
        </td>
      </tr>
      <Show when={props.line.noNewline}>
        <tr class={ROW[props.line.kind]}>
          <td colspan={3} />
          <td class="pr-3 text-ink-3 italic">{t("diff.noNewline")}</td>
        </tr>
      </Show>
    </>
  );
}

type Row = { readonly kind: "header"; readonly text: string } | { readonly kind: "line"; readonly line: DiffLine };

const rowsOf = (hunks: readonly DiffHunk[]): readonly Row[] =>
  hunks.flatMap((hunk) => [
    { kind: "header", text: hunk.header } as const,
    ...hunk.lines.map((line) => ({ kind: "line", line }) as const),
  ]);

/** The lines of one file's diff as a table: old number, new number, sign, text. */
export function DiffLines(props: {
  readonly hunks: readonly DiffHunk[];
  readonly wrap: boolean;
  readonly label: string;
  /** Shows everything at once. */
  readonly all: boolean;
  /** Told how many lines are not on the page. */
  readonly onLeft: (lines: number) => void;
}): JSX.Element {
  const rows = (): readonly Row[] => rowsOf(props.hunks);
  const [paged, setShown] = createSignal(PAGE_LINES);
  const shown = (): number => (props.all ? Number.POSITIVE_INFINITY : paged());
  const left = (): number => Math.max(0, rows().length - shown());
  createEffect(() => props.onLeft(left()));
  return (
    <>
      <div
        class={props.wrap ? "" : "overflow-x-auto"}
        tabindex={props.wrap ? undefined : 0}
        role="group"
        aria-label={props.label}
      >
        <table class="w-full border-collapse font-mono text-meta leading-5">
          <tbody>
            <For each={rows().slice(0, shown())}>
              {(row) =>
                row.kind === "line" ? (
                  <Line line={row.line} wrap={props.wrap} />
                ) : (
                  <tr class="bg-sunken text-ink-3">
                    <td colspan={3} />
                    <td class="py-0.5 pr-3">{row.text}</td>
                  </tr>
                )
              }
            </For>
          </tbody>
        </table>
      </div>
      <Show when={left() > 0}>
        <button type="button" class="btn btn-quiet btn-sm w-full" onClick={() => setShown((n) => n + PAGE_LINES)}>
          {t("diff.more", Math.min(left(), PAGE_LINES))}
        </button>
      </Show>
    </>
  );
}
