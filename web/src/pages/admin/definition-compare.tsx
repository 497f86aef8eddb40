import { For, type JSX, Show } from "solid-js";
import { mcp as t } from "../../i18n/mcp.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { type SideRow, sideBySide } from "./definition-diff.ts";

const Cell = (props: {
  readonly text: string | null;
  readonly changed: boolean;
  readonly tone: string;
  readonly mark: string;
}): JSX.Element => (
  <td class={`px-2 py-px align-top whitespace-pre-wrap [overflow-wrap:anywhere] ${props.changed ? props.tone : ""}`}>
    <Show when={props.text}>
      {(text) => (
        <>
          <Show when={props.changed}>
            <span class="sr-only">{props.mark}: </span>
          </Show>
          <VisibleText text={text()} />
        </>
      )}
    </Show>
  </td>
);

/** The definition that was classified and the one that is there now, side by side (POL-6). */
export const DefinitionCompare = (props: { readonly before: string; readonly after: string }): JSX.Element => {
  const rows = (): readonly SideRow[] => sideBySide(props.before, props.after);
  return (
    <div
      class="max-h-96 overflow-auto rounded-control border border-line"
      tabindex={0}
      role="group"
      aria-label={t("tool.changed")}
    >
      <table class="w-full table-fixed border-collapse font-mono text-meta leading-5">
        <thead>
          <tr class="bg-sunken text-left">
            <th scope="col" class="px-2 py-1">
              {t("tool.before")}
            </th>
            <th scope="col" class="px-2 py-1">
              {t("tool.after")}
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={rows()}>
            {(row) => (
              <tr>
                <Cell
                  text={row.before}
                  changed={row.kind === "changed" && row.before !== null}
                  tone="bg-neg-bg"
                  mark={t("tool.oldOnly")}
                />
                <Cell
                  text={row.after}
                  changed={row.kind === "changed" && row.after !== null}
                  tone="bg-pos-bg"
                  mark={t("tool.newOnly")}
                />
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
};
