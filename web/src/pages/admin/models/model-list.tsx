import type { AdminModel, ModelAdministration } from "@aiw/contract/models";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { call } from "../../../data/client.ts";
import { useCurrency } from "../../../data/session.ts";
import { gatewayWord } from "../../../i18n/gateway.ts";
import { duration, money, num } from "../../../i18n/index.ts";
import { models as t } from "../../../i18n/models.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorLine } from "../../../ui/error-panel.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { toast } from "../../../ui/toast.tsx";
import { VisibleText } from "../../../ui/visible-text-view.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { CLASSES } from "./defaults-form.tsx";
import { ModelForm } from "./model-form.tsx";
import { ConfirmDialog, refreshModels } from "./parts.tsx";

/** What came of the last test; the message is the gateway's and shown as a quotation. */
const TestState = (props: { readonly model: AdminModel }): JSX.Element => (
  <div role="status" class="text-meta">
    <Switch fallback={<p class="text-ink-2">{t("test.never")}</p>}>
      <Match when={props.model.testing}>
        <p class="flex items-center gap-1.5 text-info">
          <LoaderCircle size={14} class="animate-spin" aria-hidden="true" />
          {t("test.running")}
        </p>
      </Match>
      <Match when={props.model.lastTest}>
        {(result) => (
          <p class={result().ok ? "text-pos" : "text-neg"}>
            {result().ok ? t("test.ok") : t("test.failed")}{" "}
            <Show when={props.model.lastTestAt}>{(at) => <RelativeTime at={at()} />}</Show>
            {": "}
            <Show
              when={result().ok}
              fallback={
                <>
                  {gatewayWord(result().code) ?? result().code}
                  <Show when={result().message}>
                    {(text) => (
                      <span class="block text-ink-2 [overflow-wrap:anywhere]">
                        <VisibleText text={t("test.says", { text: text() })} />
                      </span>
                    )}
                  </Show>
                </>
              }
            >
              <span class="num">
                {result().firstTextMs === null
                  ? t("test.total", { total: duration(result().totalMs) })
                  : t("test.times", {
                      first: duration(result().firstTextMs ?? 0),
                      total: duration(result().totalMs),
                    })}
              </span>
            </Show>
          </p>
        )}
      </Match>
    </Switch>
  </div>
);

const Facts = (props: { readonly model: AdminModel; readonly gateway: string }): JSX.Element => {
  const currency = useCurrency();
  const price = (value: number): string => money(value, currency());
  const prices = (): string => {
    const { priceIn, priceOut, priceCachedIn } = props.model;
    if (priceIn === null || priceOut === null) return t("list.pricesUnknown");
    const line = t("list.prices", { input: price(priceIn), output: price(priceOut) });
    return priceCachedIn === null ? line : `${line}, ${t("list.cached", { price: price(priceCachedIn) })}`;
  };
  return (
    <p class="num flex flex-wrap gap-x-3 text-meta text-ink-2">
      <span>{t(`class.${props.model.class}`)}</span>
      <span class="[overflow-wrap:anywhere]">
        <VisibleText text={props.gateway} />
      </span>
      <span>
        {props.model.contextWindow === null
          ? t("list.windowUnknown")
          : t("list.window", { tokens: num(props.model.contextWindow) })}
      </span>
      <span>{prices()}</span>
      <Show when={!props.model.tools}>
        <span class="text-warn">{t("list.noTools")}</span>
      </Show>
      <Show when={!props.model.streaming}>
        <span>{t("list.noStream")}</span>
      </Show>
    </p>
  );
};

const Row = (props: { readonly model: AdminModel; readonly data: ModelAdministration }): JSX.Element => {
  const [open, setOpen] = createSignal<"edit" | "remove">();
  const testing = createAction();
  const gateway = () => props.data.endpoints.find((endpoint) => endpoint.id === props.model.endpointId);
  const stands = () => CLASSES.filter((of) => props.data.defaults[of] === props.model.id);
  const name = (): string => visibleString(props.model.displayName);
  const test = async (): Promise<void> => {
    if (props.model.testing) return;
    await testing.run(async () => {
      await call("testModel", { params: { modelId: props.model.id } });
      refreshModels();
    });
  };
  return (
    <li class="flex flex-col gap-1 px-4 py-3">
      <div class="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div class="min-w-0 flex-1 basis-72">
          <p class="flex flex-wrap items-baseline gap-x-3">
            <span class="font-semibold [overflow-wrap:anywhere]">
              <VisibleText text={props.model.displayName} />
            </span>
            <code class="mono text-ink-2 [overflow-wrap:anywhere]">
              <VisibleText text={props.model.name} />
            </code>
            <Show when={!props.model.active}>
              <span class="text-meta font-medium text-warn">{t("list.off")}</span>
            </Show>
          </p>
          <Facts model={props.model} gateway={gateway()?.name ?? ""} />
          <Show when={stands().length > 0}>
            <p class="text-meta">
              {t("list.stands", {
                classes: stands()
                  .map((of) => t(`class.${of}`))
                  .join(", "),
              })}
            </p>
          </Show>
          <TestState model={props.model} />
        </div>
        <div class="flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("list.testOf", { name: name() })}
            title={t("test.key")}
            aria-disabled={testing.busy() || props.model.testing}
            onClick={() => void test()}
          >
            {t("list.test")}
          </button>
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("list.editOf", { name: name() })}
            onClick={() => setOpen("edit")}
          >
            {t("list.edit")}
          </button>
          <button
            type="button"
            class="btn btn-sm btn-danger"
            aria-label={t("list.removeOf", { name: name() })}
            onClick={() => setOpen("remove")}
          >
            {t("list.remove")}
          </button>
        </div>
      </div>
      <ErrorLine error={testing.failure()} />
      <Dialog
        open={open() === "edit"}
        onOpenChange={(next) => setOpen(next ? "edit" : undefined)}
        title={t("form.editTitle", { name: name() })}
      >
        <ModelForm data={props.data} model={props.model} onDone={() => setOpen(undefined)} />
      </Dialog>
      <ConfirmDialog
        open={open() === "remove"}
        onOpenChange={(next) => setOpen(next ? "remove" : undefined)}
        title={t("list.removeTitle", { name: name() })}
        body={t("list.removeBody")}
        confirm={t("list.remove")}
        work={() => call("removeModel", { params: { modelId: props.model.id } })}
        onDone={() => {
          toast(t("list.removed", { name: name() }));
          refreshModels();
        }}
      />
    </li>
  );
};

/** All models, switched-on ones first, with what can be done to each. */
export const ModelList = (props: { readonly data: ModelAdministration }): JSX.Element => {
  const [adding, setAdding] = createSignal(false);
  return (
    <section aria-labelledby="model-list-title" class="flex flex-col gap-2">
      <div class="flex flex-wrap items-center justify-between gap-2">
        <h2 id="model-list-title" class="text-lg">
          {t("list.title")}
        </h2>
        <button type="button" class="btn btn-primary" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("list.add")}
        </button>
      </div>
      <Show
        when={props.data.models.length > 0}
        fallback={<EmptyState title={t("list.empty")}>{t("list.emptyHint")}</EmptyState>}
      >
        <ul class="panel divide-y divide-line" aria-label={t("list.title")}>
          <For each={props.data.models.map((model) => model.id)}>
            {(id) => (
              <Show when={props.data.models.find((model) => model.id === id)}>
                {(model) => <Row model={model()} data={props.data} />}
              </Show>
            )}
          </For>
        </ul>
      </Show>
      <Dialog open={adding()} onOpenChange={setAdding} title={t("form.createTitle")}>
        <ModelForm data={props.data} onDone={() => setAdding(false)} />
      </Dialog>
    </section>
  );
};
