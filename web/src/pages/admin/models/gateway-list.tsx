import type { ModelAdministration, ModelEndpoint } from "@aiw/contract/models";
import { useQuery } from "@tanstack/solid-query";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { gatewayWord } from "../../../i18n/gateway.ts";
import { models as t } from "../../../i18n/models.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorLine } from "../../../ui/error-panel.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { toast } from "../../../ui/toast.tsx";
import { VisibleText } from "../../../ui/visible-text-view.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { EditGatewayForm, NewGatewayForm } from "./gateway-forms.tsx";
import { KeyRow } from "./key-row.tsx";
import { OfferedModels } from "./offered-models.tsx";
import { ConfirmDialog, refreshModels } from "./parts.tsx";

const ImportState = (props: { readonly endpoint: ModelEndpoint }): JSX.Element => (
  <div role="status">
    <Switch>
      <Match when={props.endpoint.importing}>
        <p class="flex items-center gap-1.5 text-info">
          <LoaderCircle size={16} class="animate-spin" aria-hidden="true" />
          {t("gateway.fetching")}
        </p>
      </Match>
      <Match when={props.endpoint.lastImport?.ok === false ? props.endpoint.lastImport : null}>
        {(result) => (
          <p class="text-neg">
            {t("gateway.fetchFailed")}{" "}
            <Show when={props.endpoint.lastImportAt}>{(at) => <RelativeTime at={at()} />}</Show>
            {": "}
            {gatewayWord(result().code) ?? result().code}
            <Show when={result().message}>
              {(text) => (
                <span class="block text-meta text-ink-2 [overflow-wrap:anywhere]">
                  <VisibleText text={t("test.says", { text: text() })} />
                </span>
              )}
            </Show>
          </p>
        )}
      </Match>
      <Match when={props.endpoint.lastImportAt}>
        {(at) => (
          <p class="text-meta text-ink-2">
            {t("gateway.fetched")} <RelativeTime at={at()} />
          </p>
        )}
      </Match>
    </Switch>
  </div>
);

const Gateway = (props: {
  readonly endpoint: ModelEndpoint;
  readonly data: ModelAdministration;
  readonly teams: readonly { readonly id: string; readonly name: string }[];
}): JSX.Element => {
  const [open, setOpen] = createSignal<"edit" | "remove">();
  const fetching = createAction();
  const name = (): string => visibleString(props.endpoint.name);
  const fetchModels = async (): Promise<void> => {
    if (props.endpoint.importing) return;
    await fetching.run(async () => {
      await call("importModels", { params: { endpointId: props.endpoint.id } });
      refreshModels();
    });
  };
  return (
    <li class="panel flex flex-col gap-3 p-4">
      <div class="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div class="min-w-0 flex-1 basis-72">
          <h3 class="font-semibold [overflow-wrap:anywhere]">
            <VisibleText text={props.endpoint.name} />
          </h3>
          <Show
            when={props.endpoint.url}
            fallback={
              <p class="text-ink-2">
                {t("gateway.environment")}. {t("gateway.environmentHint")}
              </p>
            }
          >
            {(url) => (
              <code class="mono text-ink-2 [overflow-wrap:anywhere]">
                <VisibleText text={url()} />
              </code>
            )}
          </Show>
          <p class="text-meta text-ink-2">
            {t("gateway.api")}: {t(`gateway.apis.${props.endpoint.api}`)}
          </p>
          <ImportState endpoint={props.endpoint} />
        </div>
        <div class="flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("gateway.fetchOf", { name: name() })}
            aria-disabled={fetching.busy() || props.endpoint.importing}
            onClick={() => void fetchModels()}
          >
            {t("gateway.fetch")}
          </button>
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("gateway.editOf", { name: name() })}
            onClick={() => setOpen("edit")}
          >
            {t("gateway.edit")}
          </button>
          <Show when={props.endpoint.url !== null}>
            <button
              type="button"
              class="btn btn-sm btn-danger"
              aria-label={t("gateway.removeOf", { name: name() })}
              onClick={() => setOpen("remove")}
            >
              {t("gateway.remove")}
            </button>
          </Show>
        </div>
      </div>
      <ErrorLine error={fetching.failure()} />
      <div>
        <p class="label">{t("key.title")}</p>
        <ul class="divide-y divide-line" aria-label={`${t("key.title")}: ${name()}`}>
          <KeyRow endpoint={props.endpoint} team={null} />
          <For each={props.teams}>{(team) => <KeyRow endpoint={props.endpoint} team={team} />}</For>
        </ul>
      </div>
      <Show when={props.endpoint.lastImport?.ok === true ? props.endpoint.lastImport : null}>
        {(offer) => <OfferedModels endpoint={props.endpoint} offer={offer()} data={props.data} />}
      </Show>
      <Dialog
        open={open() === "edit"}
        onOpenChange={(next) => setOpen(next ? "edit" : undefined)}
        title={t("gateway.editTitle", { name: name() })}
      >
        <EditGatewayForm endpoint={props.endpoint} onDone={() => setOpen(undefined)} />
      </Dialog>
      <ConfirmDialog
        open={open() === "remove"}
        onOpenChange={(next) => setOpen(next ? "remove" : undefined)}
        title={t("gateway.removeTitle", { name: name() })}
        body={t("gateway.removeBody")}
        confirm={t("gateway.remove")}
        work={() => call("removeModelEndpoint", { params: { endpointId: props.endpoint.id } })}
        onDone={() => {
          toast(t("gateway.removed", { name: name() }));
          refreshModels();
        }}
      />
    </li>
  );
};

/** Gateways with their keys, and what they offer (GW-2, GW-3). */
export const GatewayList = (props: { readonly data: ModelAdministration }): JSX.Element => {
  const [adding, setAdding] = createSignal(false);
  const teams = useQuery(() => ({ queryKey: keys.adminTeams, queryFn: () => call("listTeams") }));
  return (
    <section aria-labelledby="gateway-list-title" class="flex flex-col gap-3">
      <div class="flex flex-wrap items-start justify-between gap-2">
        <div class="min-w-0">
          <h2 id="gateway-list-title" class="text-lg">
            {t("gateway.title")}
          </h2>
          <p class="max-w-[70ch] text-ink-2">{t("gateway.intro")}</p>
        </div>
        <button type="button" class="btn btn-primary" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("gateway.add")}
        </button>
      </div>
      <ErrorLine error={teams.isError ? teams.error : null} />
      <ul class="flex flex-col gap-3" aria-label={t("gateway.title")}>
        <For each={props.data.endpoints.map((endpoint) => endpoint.id)}>
          {(id) => (
            <Show when={props.data.endpoints.find((endpoint) => endpoint.id === id)}>
              {(endpoint) => (
                <Gateway
                  endpoint={endpoint()}
                  data={props.data}
                  teams={teams.isPending || teams.isError ? [] : (teams.data?.items ?? [])}
                />
              )}
            </Show>
          )}
        </For>
      </ul>
      <Dialog open={adding()} onOpenChange={setAdding} title={t("gateway.add")}>
        <NewGatewayForm onDone={() => setAdding(false)} />
      </Dialog>
    </section>
  );
};
