import Download from "lucide-solid/icons/download";
import { For, type JSX, Show } from "solid-js";
import { uploads as t } from "../i18n/uploads.ts";
import { toCsv, type Cell, type QueryResult } from "./query-result-model.ts";
import { VisibleText } from "./visible-text-view.tsx";

/** Rows that are drawn; the file has all of them. */
const SHOWN = 100;

const textOf = (cell: Cell): string => (cell === null ? "" : String(cell));

const save = (result: QueryResult): void => {
  // With the mark, spreadsheets read it as UTF-8.
  const url = URL.createObjectURL(new Blob(["\ufeff", toCsv(result)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = t("result.file");
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/** What a query answered, as a table and as a file (UPL-2). */
export const QueryResultTable = (props: { readonly result: QueryResult; readonly partial: boolean }): JSX.Element => (
  <div class="flex flex-col gap-1.5 border-t border-line px-3 py-2.5">
    <div
      class="max-h-[22rem] overflow-auto rounded-control border border-line"
      tabindex="0"
      role="region"
      aria-label={t("result.label")}
    >
      <table class="w-full border-collapse text-left">
        <thead class="sticky top-0 bg-sunken">
          <tr>
            <For each={props.result.columns}>
              {(column) => (
                <th
                  scope="col"
                  class={`px-2.5 py-1.5 text-meta font-semibold whitespace-nowrap ${column.numeric ? "text-right" : ""}`}
                  title={column.type}
                >
                  <VisibleText text={column.name} />
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.result.rows.slice(0, SHOWN)}>
            {(row) => (
              <tr class="border-t border-line">
                <For each={row}>
                  {(cell, n) => (
                    <td
                      class={`max-w-80 px-2.5 py-1 align-top [overflow-wrap:anywhere] ${props.result.columns[n()]?.numeric === true ? "num text-right" : ""}`}
                    >
                      <VisibleText text={textOf(cell)} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
    <div class="flex flex-wrap items-center justify-between gap-2 text-meta text-ink-2">
      <span>
        {t("result.rows", props.result.rows.length)}
        <Show when={props.partial || props.result.rows.length > SHOWN}> · {t("result.part")}</Show>
      </span>
      <button type="button" class="btn btn-quiet btn-sm" onClick={() => save(props.result)}>
        <Download size={14} aria-hidden="true" />
        {t("result.download")}
      </button>
    </div>
  </div>
);
