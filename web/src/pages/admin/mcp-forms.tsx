import type { McpServer } from "@aiw/contract/views";
import { createSignal, For, type JSX } from "solid-js";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { mcp as t } from "../../i18n/mcp.ts";
import { problemText } from "../../i18n/problems.ts";
import { FormField } from "../../ui/form-field.tsx";
import { SecretField } from "../../ui/secret-field.tsx";
import { createAction } from "../settings/save.ts";
import { FormFrame } from "./form-frame.tsx";

const PURPOSES = ["general", "memory", "documents"] as const satisfies readonly McpServer["purpose"][];
/** The same form as the server's rule; which names are taken or reserved, the server knows. */
const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Registers a server and asks it for its tools (MCP-1). */
export const RegisterForm = (props: {
  readonly onDone: (server: McpServer) => void;
  readonly onCancel: () => void;
}): JSX.Element => {
  const [name, setName] = createSignal("");
  const [url, setUrl] = createSignal("");
  const [purpose, setPurpose] = createSignal<McpServer["purpose"]>("general");
  const [token, setToken] = createSignal("");
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const told = (field: string): string | undefined =>
    action.failure() === null ? undefined : asProblem(action.failure()).fields[field];
  const nameFault = (): string | undefined => {
    if (tried() && name().trim() === "") return t("field.required");
    if (tried() && !NAME.test(name().trim())) return t("field.nameInvalid");
    if (told("name") === undefined) return undefined;
    return told("name") === "taken" ? t("field.nameTaken") : t("field.nameInvalid");
  };
  const urlFault = (): string | undefined => {
    if (tried() && url().trim() === "") return t("field.required");
    if (told("url") === undefined) return undefined;
    return told("url") === "host_not_allowed" ? problemText(asProblem(action.failure())) : t("field.urlInvalid");
  };
  const submit = async (): Promise<void> => {
    setTried(true);
    if (!NAME.test(name().trim()) || url().trim() === "") return;
    await action.run(async () => {
      const body = {
        name: name().trim(),
        url: url().trim(),
        purpose: purpose(),
        token: token() === "" ? null : token(),
      };
      const server = await call("registerMcpServer", { body });
      setToken("");
      props.onDone(server);
    });
  };
  return (
    <FormFrame
      save={t("register")}
      busy={action.busy()}
      failure={nameFault() === undefined && urlFault() === undefined ? action.failure() : null}
      onSubmit={() => void submit()}
      onCancel={props.onCancel}
    >
      <FormField label={t("field.name")} help={t("field.nameHint")} error={nameFault()} required>
        {(field) => (
          <input
            {...field}
            class="input font-mono"
            name="server"
            maxlength={24}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </FormField>
      <FormField label={t("field.url")} help={t("field.urlHint")} error={urlFault()} required>
        {(field) => (
          <input
            {...field}
            class="input font-mono"
            name="url"
            type="url"
            inputmode="url"
            maxlength={2000}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={url()}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </FormField>
      <FormField label={t("purposeLabel")} help={t("purposeHint")}>
        {(field) => (
          <select
            {...field}
            class="input"
            onChange={(event) => setPurpose(PURPOSES.find((one) => one === event.currentTarget.value) ?? "general")}
          >
            <For each={PURPOSES}>
              {(one) => (
                <option value={one} selected={purpose() === one}>
                  {t(`purpose.${one}`)}
                </option>
              )}
            </For>
          </select>
        )}
      </FormField>
      <FormField label={t("field.token")} help={t("field.tokenHint")}>
        {(field) => (
          <SecretField field={field} name="server-token" value={token()} onInput={setToken} autocomplete="off" />
        )}
      </FormField>
    </FormFrame>
  );
};

interface ManageProps {
  readonly server: McpServer;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** Overwrites or drops the platform's token. */
export const TokenForm = (props: ManageProps): JSX.Element => {
  const [token, setToken] = createSignal("");
  const action = createAction();
  const submit = async (): Promise<void> => {
    const done = await action.run(async () => {
      const body = { token: token() === "" ? null : token() };
      await call("replaceMcpToken", { params: { serverId: props.server.id }, body });
    });
    if (!done) return;
    setToken("");
    props.onDone();
  };
  return (
    <FormFrame
      save={t("save")}
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void submit()}
      onCancel={props.onCancel}
    >
      <FormField label={t("field.token")} help={t("field.tokenHint")}>
        {(field) => (
          <SecretField field={field} name="server-token" value={token()} onInput={setToken} autocomplete="off" />
        )}
      </FormField>
    </FormFrame>
  );
};

/** Removes a server after its short name was typed. */
export const RemoveForm = (props: ManageProps): JSX.Element => {
  const [typed, setTyped] = createSignal("");
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const matches = (): boolean => typed().trim() === props.server.name;
  const submit = async (): Promise<void> => {
    setTried(true);
    if (!matches()) return;
    const done = await action.run(async () => {
      await call("removeMcpServer", { params: { serverId: props.server.id } });
    });
    if (!done) return;
    void queryClient.invalidateQueries({ queryKey: keys.adminTools });
    props.onDone();
  };
  return (
    <FormFrame
      save={t("remove")}
      danger
      busy={action.busy()}
      failure={action.failure()}
      onSubmit={() => void submit()}
      onCancel={props.onCancel}
    >
      <FormField
        label={t("removeType", { name: props.server.name })}
        error={tried() && !matches() ? t("field.required") : undefined}
        required
      >
        {(field) => (
          <input
            {...field}
            class="input font-mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={typed()}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </FormField>
    </FormFrame>
  );
};
