import type { ApprovalDetail } from "@aiw/contract/views";
import ChevronDown from "lucide-solid/icons/chevron-down";
import ChevronRight from "lucide-solid/icons/chevron-right";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createEffect, createMemo, createUniqueId, For, type JSX, Match, Show, Switch } from "solid-js";
import { viewers as t } from "../i18n/viewers.ts";
import { DiffLines } from "./diff-lines.tsx";
import { type DiffModel, diffModel } from "./diff-model.ts";
import { VisibleText } from "./visible-text-view.tsx";

export type PreviewFile = NonNullable<ApprovalDetail["preview"]["files"]>[number];
type Note = PreviewFile["notes"][number];

const NOTES = {
  binary: () => t("diff.note.binary"),
  mode_change: () => t("diff.note.mode_change"),
  symlink: () => t("diff.note.symlink"),
  line_endings: () => t("diff.note.line_endings"),
  no_final_newline: () => t("diff.note.no_final_newline"),
  ci_configuration: () => t("diff.note.ci_configuration"),
  large: () => t("diff.note.large"),
} satisfies Record<Note, () => string>;

const SERIOUS: readonly Note[] = ["ci_configuration", "symlink", "mode_change"];
const CHANGE = {
  added: { word: () => t("diff.added"), tone: "bg-pos-bg text-pos" },
  modified: { word: () => t("diff.modified"), tone: "bg-mute-bg text-mute" },
  deleted: { word: () => t("diff.deleted"), tone: "bg-neg-bg text-neg" },
} satisfies Record<PreviewFile["change"], { word: () => string; tone: string }>;

function NoteLine(props: { readonly note: Note }): JSX.Element {
  const serious = (): boolean => SERIOUS.includes(props.note);
  return (
    <li class={`flex items-start gap-1.5 px-3 py-1 text-meta ${serious() ? "bg-warn-bg text-warn" : "text-ink-2"}`}>
      <Show when={serious()}>
        <TriangleAlert size={14} class="mt-0.5 shrink-0" aria-hidden="true" />
      </Show>
      {NOTES[props.note]()}
    </li>
  );
}

function RawPatch(props: { readonly text: string; readonly label: string; readonly wrap: boolean }): JSX.Element {
  return (
    <>
      <p class="flex items-start gap-1.5 bg-warn-bg px-3 py-1 text-meta text-warn">
        <TriangleAlert size={14} class="mt-0.5 shrink-0" aria-hidden="true" />
        {t("diff.raw")}
      </p>
      <pre
        class={`px-3 py-2 font-mono text-meta leading-5 ${props.wrap ? "whitespace-pre-wrap [overflow-wrap:anywhere]" : "overflow-x-auto"}`}
        tabindex={props.wrap ? undefined : 0}
        role="group"
        aria-label={props.label}
      >
        <VisibleText text={props.text} />
      </pre>
    </>
  );
}

const asHunks = (model: DiffModel): Extract<DiffModel, { kind: "hunks" }> | false => model.kind === "hunks" && model;
const asRaw = (model: DiffModel): Extract<DiffModel, { kind: "raw" }> | false => model.kind === "raw" && model;

interface BodyProps {
  readonly file: PreviewFile;
  readonly wrap: boolean;
  /** Shows every line at once. */
  readonly all: boolean;
  /** Told how many lines of the file are not on the page (N27). */
  readonly onLeft: (lines: number) => void;
}

function FileBody(props: BodyProps): JSX.Element {
  const model = createMemo(() => diffModel(props.file.diff));
  createEffect(() => {
    if (model().kind !== "hunks") props.onLeft(0);
  });
  const disguised = (): number => {
    const now = model();
    return now.kind === "empty" ? 0 : now.disguised;
  };
  return (
    <>
      <Show when={disguised() > 0}>
        <p class="flex items-start gap-1.5 bg-neg-bg px-3 py-1 text-meta text-neg">
          <TriangleAlert size={14} class="mt-0.5 shrink-0" aria-hidden="true" />
          {t("diff.hidden", disguised())}
        </p>
      </Show>
      <Switch fallback={<p class="px-3 py-2 text-ink-2">{t("diff.noText")}</p>}>
        <Match when={asHunks(model())}>
          {(hunks) => (
            <DiffLines
              hunks={hunks().hunks}
              wrap={props.wrap}
              label={props.file.path}
              all={props.all}
              onLeft={props.onLeft}
            />
          )}
        </Match>
        <Match when={asRaw(model())}>
          {(raw) => <RawPatch text={raw().text} wrap={props.wrap} label={props.file.path} />}
        </Match>
      </Switch>
    </>
  );
}

export interface DiffFileProps extends BodyProps {
  /** The change it belongs to, where several are on the page. */
  readonly of?: string | undefined;
  readonly open: boolean;
  readonly viewed: boolean;
  readonly large: boolean;
  readonly onToggle: () => void;
  readonly onViewed: () => void;
  readonly ref: (element: HTMLElement) => void;
}

/** One file of a change: header that stays in sight, notes a plain diff would hide, and the lines. */
export function DiffFile(props: DiffFileProps): JSX.Element {
  const bodyId = createUniqueId();
  const lines = (): number => props.file.additions + props.file.deletions;
  return (
    <section
      class="panel scroll-mt-16"
      aria-label={props.of === undefined ? props.file.path : `${props.of}: ${props.file.path}`}
      ref={props.ref}
      tabindex={-1}
    >
      <header class="sticky top-(--diff-top,0px) z-10 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-t-panel border-b border-line bg-sunken px-1.5 py-1">
        <button
          type="button"
          class="flex min-h-7 min-w-0 flex-1 basis-full items-center gap-1.5 rounded-control px-1 text-left md:basis-0"
          aria-expanded={props.open}
          aria-controls={bodyId}
          aria-label={`${props.open ? t("diff.collapse") : t("diff.expand")}: ${props.file.path}`}
          onClick={() => props.onToggle()}
        >
          <Show when={props.open} fallback={<ChevronRight size={16} class="shrink-0" aria-hidden="true" />}>
            <ChevronDown size={16} class="shrink-0" aria-hidden="true" />
          </Show>
          <span class="min-w-0 font-mono text-meta [overflow-wrap:anywhere]">
            <VisibleText text={props.file.path} />
          </span>
        </button>
        <span class={`badge ${CHANGE[props.file.change].tone}`}>{CHANGE[props.file.change].word()}</span>
        <span class="num text-meta">
          <span class="text-pos" aria-label={t("diff.additions", { n: String(props.file.additions) })} role="img">
            +{props.file.additions}
          </span>{" "}
          <span class="text-neg" aria-label={t("diff.deletions", { n: String(props.file.deletions) })} role="img">
            −{props.file.deletions}
          </span>
        </span>
        <label class="flex min-h-7 items-center gap-1.5 px-1 text-meta text-ink-2">
          <input
            type="checkbox"
            class="size-4 accent-accent"
            checked={props.viewed}
            onChange={() => props.onViewed()}
          />
          {t("diff.viewed")}
        </label>
      </header>
      <Show when={props.file.notes.length > 0}>
        <ul class="border-b border-line">
          <For each={props.file.notes}>{(note) => <NoteLine note={note} />}</For>
        </ul>
      </Show>
      <div id={bodyId} class="overflow-hidden rounded-b-panel">
        <Show
          when={props.open}
          fallback={
            <button
              type="button"
              class="flex min-h-9 w-full items-center gap-2 px-3 text-meta text-ink-2 hover:bg-sunken"
              onClick={() => props.onToggle()}
            >
              {props.large ? t("diff.large", lines()) : t("diff.closed", lines())}
              <span class="link">{t("diff.show")}</span>
            </button>
          }
        >
          <FileBody file={props.file} wrap={props.wrap} all={props.all} onLeft={props.onLeft} />
        </Show>
      </div>
    </section>
  );
}
