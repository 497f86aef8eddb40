import type { AdminModel, ModelAdministration, ModelClass } from "@aiw/contract/models";
import { createSignal, For, type JSX, Show } from "solid-js";
import { asProblem, call } from "../../../data/client.ts";
import { useCurrency } from "../../../data/session.ts";
import { models as t } from "../../../i18n/models.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { FormFrame } from "../form-frame.tsx";
import { CLASSES } from "./defaults-form.tsx";
import { readPrice, readWindow } from "./model-fields.ts";
import { Check, faultOf, refreshModels, TextInput } from "./parts.tsx";

const shown = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value);

/** Adds a model of a gateway, or changes one; its gateway and its name there stay (GW-2). */
export const ModelForm = (props: {
  readonly data: ModelAdministration;
  readonly model?: AdminModel;
  readonly onDone: () => void;
}): JSX.Element => {
  const { model } = props;
  const currency = useCurrency();
  const action = createAction();
  const [tried, setTried] = createSignal(false);
  const [endpointId, setEndpointId] = createSignal(model?.endpointId ?? props.data.endpoints[0]?.id ?? "");
  const [name, setName] = createSignal(model?.name ?? "");
  const [displayName, setDisplayName] = createSignal(model?.displayName ?? "");
  const [of, setOf] = createSignal<ModelClass>(model?.class ?? "standard");
  const [tools, setTools] = createSignal(model?.tools ?? true);
  const [streaming, setStreaming] = createSignal(model?.streaming ?? true);
  const [active, setActive] = createSignal(model?.active ?? true);
  const [size, setSize] = createSignal(shown(model?.contextWindow));
  const [priceIn, setPriceIn] = createSignal(shown(model?.priceIn));
  const [priceCachedIn, setPriceCachedIn] = createSignal(shown(model?.priceCachedIn));
  const [priceOut, setPriceOut] = createSignal(shown(model?.priceOut));
  // The name at the gateway is a good name to show until somebody writes a better one.
  const shownName = (): string => (displayName().trim() === "" ? name().trim() : displayName().trim());
  const priceFault = (text: string): string | undefined =>
    tried() && readPrice(text) === undefined ? t("form.priceInvalid") : undefined;
  const failure = (): unknown => {
    const problem = action.failure();
    if (problem === null) return null;
    return (faultOf(action, "name") ?? faultOf(action, "displayName") ?? conflicted()) ? null : problem;
  };
  const conflicted = (): boolean => action.failure() !== null && asProblem(action.failure()).code === "conflict";
  const submit = async (): Promise<void> => {
    setTried(true);
    const contextWindow = readWindow(size());
    const [input, cached, output] = [readPrice(priceIn()), readPrice(priceCachedIn()), readPrice(priceOut())];
    if (name().trim() === "" || contextWindow === undefined) return;
    if (input === undefined || cached === undefined || output === undefined) return;
    const fields = {
      displayName: shownName(),
      class: of(),
      tools: tools(),
      streaming: streaming(),
      contextWindow,
      priceIn: input,
      priceCachedIn: cached,
      priceOut: output,
      active: active(),
    };
    const done = await action.run(async () => {
      if (model === undefined) {
        await call("createModel", { body: { endpointId: endpointId(), name: name().trim(), ...fields } });
        toast(t("form.added", { name: visibleString(fields.displayName) }));
      } else {
        await call("updateModel", { params: { modelId: model.id }, body: { version: model.version, ...fields } });
        toast(t("saved"));
      }
    });
    if (!done) return;
    refreshModels();
    props.onDone();
  };
  return (
    <FormFrame
      save={model === undefined ? t("form.add") : t("save")}
      busy={action.busy()}
      failure={failure()}
      onSubmit={() => void submit()}
      onCancel={props.onDone}
    >
      <FormField label={t("form.gateway")}>
        {(field) => (
          <select
            {...field}
            class="input"
            disabled={model !== undefined}
            onChange={(event) => setEndpointId(event.currentTarget.value)}
          >
            <For each={props.data.endpoints}>
              {(endpoint) => (
                <option value={endpoint.id} selected={endpoint.id === endpointId()}>
                  {visibleString(endpoint.name)}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <FormField
        label={t("form.name")}
        help={t("form.nameHint")}
        error={tried() && name().trim() === "" ? t("required") : faultOf(action, "name")}
        required
      >
        {(field) => (
          <TextInput
            field={field}
            name="model"
            mono
            max={200}
            disabled={model !== undefined}
            value={name()}
            onInput={setName}
          />
        )}
      </FormField>
      <FormField label={t("form.displayName")} error={faultOf(action, "displayName")}>
        {(field) => (
          <TextInput field={field} name="displayName" max={80} value={displayName()} onInput={setDisplayName} />
        )}
      </FormField>
      <FormField label={t("form.class")}>
        {(field) => (
          <select
            {...field}
            class="input"
            onChange={(event) => setOf(CLASSES.find((one) => one === event.currentTarget.value) ?? "standard")}
          >
            <For each={CLASSES}>
              {(one) => (
                <option value={one} selected={of() === one}>
                  {t(`class.${one}`)}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <FormField
        label={t("form.window")}
        help={t("form.windowHint")}
        error={tried() && readWindow(size()) === undefined ? t("form.windowInvalid") : undefined}
      >
        {(field) => <TextInput field={field} name="window" mode="numeric" value={size()} onInput={setSize} />}
      </FormField>
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-1 font-medium">{t("form.prices", { currency: currency() })}</legend>
        <div class="grid gap-3 md:grid-cols-3">
          <FormField label={t("form.priceIn")} error={priceFault(priceIn())}>
            {(field) => (
              <TextInput field={field} name="priceIn" mode="decimal" value={priceIn()} onInput={setPriceIn} />
            )}
          </FormField>
          <FormField label={t("form.priceCachedIn")} error={priceFault(priceCachedIn())}>
            {(field) => (
              <TextInput
                field={field}
                name="priceCachedIn"
                mode="decimal"
                value={priceCachedIn()}
                onInput={setPriceCachedIn}
              />
            )}
          </FormField>
          <FormField label={t("form.priceOut")} error={priceFault(priceOut())}>
            {(field) => (
              <TextInput field={field} name="priceOut" mode="decimal" value={priceOut()} onInput={setPriceOut} />
            )}
          </FormField>
        </div>
        <p class="text-meta text-ink-2">{t("form.pricesHint")}</p>
      </fieldset>
      <Check label={t("form.tools")} hint={t("form.toolsHint")} checked={tools()} onChange={setTools} />
      <Check label={t("form.streaming")} hint={t("form.streamingHint")} checked={streaming()} onChange={setStreaming} />
      <Check label={t("form.active")} hint={t("form.activeHint")} checked={active()} onChange={setActive} />
      <Show when={conflicted()}>
        <p role="alert" class="text-neg">
          {t("conflict")}
        </p>
      </Show>
    </FormFrame>
  );
};
