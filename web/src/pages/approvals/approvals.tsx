import { A, useNavigate, useParams, useSearchParams } from "@solidjs/router";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import { createSignal, type JSX, Show } from "solid-js";
import { approvals as t } from "../../i18n/approvals.ts";
import { useKeys } from "../../ui/keys.ts";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ApprovalItem } from "./approval-item.tsx";
import { ApprovalList, type Filter, FILTERS } from "./approval-list.tsx";
import { neighbour } from "./decision-model.ts";

const isFilter = (value: unknown): value is Filter => FILTERS.some((filter) => filter === value);

const focusRow = (id: string): void => {
  const row = document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(id)}"]`);
  row?.focus();
  row?.scrollIntoView({ block: "nearest" });
};
const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>("[data-approval]")?.dataset["approval"];

/**
 * The inbox, over all workspaces or of one: list beside detail on a wide window, one at a time on a narrow one (APR-15).
 */
export const ApprovalsPage = (): JSX.Element => {
  const params = useParams<{ ws?: string; id?: string }>();
  const [search] = useSearchParams<{ filter?: string }>();
  const navigate = useNavigate();
  const [ids, setIds] = createSignal<readonly string[]>([]);
  const base = (): string => (params.ws === undefined ? "/approvals" : `/w/${params.ws}/approvals`);
  const filter = (): Filter => (isFilter(search.filter) ? search.filter : "open");
  const query = (of: Filter): string => (of === "open" ? "" : `?filter=${of}`);
  const filterHref = (of: Filter): string => `${base()}${query(of)}`;
  const itemHref = (id: string): string => `${base()}/${id}${query(filter())}`;
  const move = (step: 1 | -1) => (): void => {
    const next = neighbour(ids(), focusedRow() ?? params.id, step);
    if (next !== undefined) focusRow(next);
  };
  useKeys("page", () => [
    { keys: "j", label: () => t("keys.next"), run: move(1) },
    { keys: "k", label: () => t("keys.previous"), run: move(-1) },
    {
      keys: "o",
      label: () => t("keys.open"),
      run: () => {
        const id = focusedRow();
        if (id !== undefined) navigate(itemHref(id), { scroll: false });
      },
    },
  ]);
  return (
    <Page wide>
      <div class={params.id === undefined ? "" : "max-xl:hidden"}>
        <PageHeader title={t("title")} />
      </div>
      <div class="grid gap-5 xl:grid-cols-[20rem_minmax(0,1fr)]">
        <div
          class={`min-w-0 xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:self-start xl:overflow-y-auto ${params.id === undefined ? "" : "max-xl:hidden"}`}
        >
          <ApprovalList
            workspaceId={params.ws}
            filter={filter()}
            selected={params.id}
            filterHref={filterHref}
            itemHref={itemHref}
            onIds={setIds}
          />
        </div>
        <div class="min-w-0">
          <Show
            when={params.id}
            keyed
            fallback={
              <div class="panel hidden p-6 text-ink-2 xl:block">
                <p class="font-medium text-ink">{t("pick")}</p>
                <p>{t("pickHint")}</p>
              </div>
            }
          >
            {(id) => (
              <>
                <A class="btn btn-quiet btn-sm mb-2 -ml-2 xl:hidden" href={filterHref(filter())}>
                  <ArrowLeft size={16} aria-hidden="true" />
                  {t("back")}
                </A>
                <ApprovalItem id={id} itemHref={itemHref} backHref={filterHref(filter())} />
              </>
            )}
          </Show>
        </div>
      </div>
    </Page>
  );
};
