import { createEffect, createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { readPref, writePref } from "../data/prefs.ts";
import { viewers as t } from "../i18n/viewers.ts";
import { DiffFile, type PreviewFile } from "./diff-file.tsx";
import { VisibleText } from "./visible-text-view.tsx";

/** Files with more changed lines start collapsed and say how many lines wait. */
const LARGE_LINES = 400;

/** What the keys of a page may do to a diff. */
export interface DiffControls {
  readonly nextFile: () => void;
  readonly toggleViewed: () => void;
  readonly toggleWrap: () => void;
  /** Opens every file with all its lines. */
  readonly showAll: () => void;
}

export interface DiffViewProps {
  readonly files: readonly PreviewFile[];
  /** Names the change where several stand on a page, so that no two parts of it have one name. */
  readonly of?: string;
  /** Told how many files are not marked as viewed. */
  readonly onOpenCount?: (open: number) => void;
  /** Told how many changed lines were never on the page: nobody can have read those (N27). */
  readonly onUnshown?: (lines: number) => void;
  /** Hands over the controls while the view is mounted, null afterwards. */
  readonly controls?: (controls: DiffControls | null) => void;
}

const isLarge = (file: PreviewFile): boolean =>
  file.notes.includes("large") || file.additions + file.deletions > LARGE_LINES;
const startsWrapped = (): boolean =>
  (readPref("diff.wrap") ?? (matchMedia("(max-width: 48rem)").matches ? "on" : "off")) === "on";

const toggled = (set: ReadonlySet<string>, path: string): ReadonlySet<string> => {
  const next = new Set(set);
  if (!next.delete(path)) next.add(path);
  return next;
};

/** The real change, file by file (APR-1): unified, words marked, nothing hidden and nothing cut without a count. */
export function DiffView(props: DiffViewProps): JSX.Element {
  const [wrap, setWrap] = createSignal(startsWrapped());
  const [viewed, setViewed] = createSignal<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = createSignal<ReadonlySet<string>>(
    new Set(props.files.filter(isLarge).map((file) => file.path)),
  );
  const [all, setAll] = createSignal(false);
  // What was on the page once counts as shown, also when its file is collapsed afterwards.
  const [left, setLeft] = createSignal<ReadonlyMap<string, number>>(
    new Map(props.files.filter(isLarge).map((file) => [file.path, file.additions + file.deletions])),
  );
  createEffect(() => props.onUnshown?.([...left().values()].reduce((sum, lines) => sum + lines, 0)));
  const elements = new Map<string, HTMLElement>();
  let current = -1;

  const toggleWrap = (): void => {
    setWrap((on) => !on);
    writePref("diff.wrap", wrap() ? "on" : "off");
  };
  const mark = (path: string): void => {
    setViewed((set) => toggled(set, path));
    setClosed((set) => (viewed().has(path) === set.has(path) ? set : toggled(set, path)));
    props.onOpenCount?.(props.files.filter((file) => !viewed().has(file.path)).length);
  };
  const goTo = (index: number): void => {
    const file = props.files[index];
    if (file === undefined) return;
    current = index;
    const element = elements.get(file.path);
    element?.scrollIntoView({ block: "start" });
    element?.focus({ preventScroll: true });
  };
  onMount(() => {
    props.onOpenCount?.(props.files.length);
    props.controls?.({
      nextFile: () => goTo((current + 1) % Math.max(1, props.files.length)),
      toggleViewed: () => {
        const file = props.files[Math.max(0, current)];
        if (file !== undefined) mark(file.path);
      },
      toggleWrap,
      showAll: () => {
        setAll(true);
        setClosed(new Set<string>());
      },
    });
  });
  onCleanup(() => {
    props.controls?.(null);
    props.onUnshown?.(0);
  });

  return (
    <div class="flex flex-col gap-3">
      <div class="flex flex-wrap items-center justify-between gap-2">
        <p class="text-meta text-ink-2">{t("diff.files", props.files.length)}</p>
        <label class="flex min-h-7 items-center gap-1.5 text-meta text-ink-2">
          <input type="checkbox" class="size-4 accent-accent" checked={wrap()} onChange={toggleWrap} />
          {t("diff.wrap")}
        </label>
      </div>
      <Show when={props.files.length > 1}>
        <ul class="panel divide-y divide-line">
          <For each={props.files}>
            {(file, index) => (
              <li>
                <button
                  type="button"
                  class="flex min-h-8 w-full items-center gap-2 px-3 py-1 text-left font-mono text-meta hover:bg-sunken"
                  onClick={() => goTo(index())}
                >
                  <span class="min-w-0 flex-1 [overflow-wrap:anywhere]">
                    <VisibleText text={file.path} />
                  </span>
                  <Show when={viewed().has(file.path)}>
                    <span class="font-sans text-ink-3">{t("diff.viewed")}</span>
                  </Show>
                  <span class="num text-pos">+{file.additions}</span>
                  <span class="num text-neg">−{file.deletions}</span>
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <For each={props.files}>
        {(file) => (
          <DiffFile
            file={file}
            of={props.of}
            wrap={wrap()}
            all={all()}
            onLeft={(lines) => setLeft((known) => new Map(known).set(file.path, lines))}
            open={!closed().has(file.path)}
            viewed={viewed().has(file.path)}
            large={isLarge(file)}
            onToggle={() => setClosed((set) => toggled(set, file.path))}
            onViewed={() => mark(file.path)}
            ref={(element) => elements.set(file.path, element)}
          />
        )}
      </For>
    </div>
  );
}
