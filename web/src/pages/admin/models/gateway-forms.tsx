import type { GatewayApi, ModelEndpoint } from "@aiw/contract/models";
import { createSignal, For, type JSX } from "solid-js";
import { asProblem, call } from "../../../data/client.ts";
import { models as t } from "../../../i18n/models.ts";
import { problemText } from "../../../i18n/problems.ts";
import { FormField } from "../../../ui/form-field.tsx";
import { SecretField } from "../../../ui/secret-field.tsx";
import { toast } from "../../../ui/toast.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { createAction } from "../../settings/save.ts";
import { FormFrame } from "../form-frame.tsx";
import { isKey } from "./key-form.tsx";
import { faultOf, refreshModels, TextInput } from "./parts.tsx";

const APIS = ["responses", "chat_completions"] as const satisfies readonly GatewayApi[];

const ApiField = (props: { readonly api: GatewayApi; readonly onChange: (api: GatewayApi) => void }): JSX.Element => (
  <FormField label={t("gateway.api")}>
    {(field) => (
      <select
        {...field}
        class="input"
        onChange={(event) => props.onChange(APIS.find((one) => one === event.currentTarget.value) ?? "responses")}
      >
        <For each={APIS}>
          {(one) => (
            <option value={one} selected={props.api === one}>
              {t(`gateway.apis.${one}`)}
            </option>
          )}
        </For>
      </select>
    )}
  </FormField>
);

/** Adds a gateway; its address stays (GW-2). */
export const NewGatewayForm = (props: { readonly onDone: () => void }): JSX.Element => {
  const action = createAction();
  const [tried, setTried] = createSignal(false);
  const [name, setName] = createSignal("");
  const [url, setUrl] = createSignal("");
  const [api, setApi] = createSignal<GatewayApi>("responses");
  const [key, setKey] = createSignal("");
  const urlFault = (): string | undefined => {
    if (tried() && url().trim() === "") return t("required");
    if (action.failure() === null) return undefined;
    const problem = asProblem(action.failure());
    return problem.fields["url"] === undefined ? undefined : problemText(problem);
  };
  const nameFault = (): string | undefined =>
    tried() && name().trim() === "" ? t("required") : faultOf(action, "name");
  const submit = async (): Promise<void> => {
    setTried(true);
    if (name().trim() === "" || url().trim() === "" || (key() !== "" && !isKey(key()))) return;
    const done = await action.run(async () => {
      const body = { name: name().trim(), url: url().trim(), api: api(), key: key() === "" ? null : key() };
      const made = await call("createModelEndpoint", { body });
      setKey("");
      toast(t("gateway.added", { name: visibleString(made.name) }));
    });
    if (!done) return;
    refreshModels();
    props.onDone();
  };
  return (
    <FormFrame
      save={t("gateway.add")}
      busy={action.busy()}
      failure={nameFault() === undefined && urlFault() === undefined ? action.failure() : null}
      onSubmit={() => void submit()}
      onCancel={props.onDone}
    >
      <FormField label={t("gateway.name")} error={nameFault()} required>
        {(field) => <TextInput field={field} name="gateway" max={80} value={name()} onInput={setName} />}
      </FormField>
      <FormField label={t("gateway.url")} help={t("gateway.urlHint")} error={urlFault()} required>
        {(field) => <TextInput field={field} name="url" mono mode="url" max={2000} value={url()} onInput={setUrl} />}
      </FormField>
      <ApiField api={api()} onChange={setApi} />
      <FormField
        label={t("key.shared")}
        help={t("key.fieldHint")}
        error={tried() && key() !== "" && !isKey(key()) ? t("key.invalid") : undefined}
      >
        {(field) => <SecretField field={field} name="gateway-key" value={key()} onInput={setKey} autocomplete="off" />}
      </FormField>
    </FormFrame>
  );
};

/** Renames a gateway or changes the API it speaks. */
export const EditGatewayForm = (props: {
  readonly endpoint: ModelEndpoint;
  readonly onDone: () => void;
}): JSX.Element => {
  const action = createAction();
  const [name, setName] = createSignal(props.endpoint.name);
  const [api, setApi] = createSignal<GatewayApi>(props.endpoint.api);
  const nameFault = (): string | undefined => (name().trim() === "" ? t("required") : faultOf(action, "name"));
  const submit = async (): Promise<void> => {
    if (name().trim() === "") return;
    const done = await action.run(async () => {
      await call("updateModelEndpoint", {
        params: { endpointId: props.endpoint.id },
        body: { name: name().trim(), api: api() },
      });
    });
    if (!done) return;
    toast(t("saved"));
    refreshModels();
    props.onDone();
  };
  return (
    <FormFrame
      save={t("save")}
      busy={action.busy()}
      failure={nameFault() === undefined ? action.failure() : null}
      onSubmit={() => void submit()}
      onCancel={props.onDone}
    >
      <FormField label={t("gateway.name")} error={nameFault()} required>
        {(field) => <TextInput field={field} name="gateway" max={80} value={name()} onInput={setName} />}
      </FormField>
      <ApiField api={api()} onChange={setApi} />
    </FormFrame>
  );
};
