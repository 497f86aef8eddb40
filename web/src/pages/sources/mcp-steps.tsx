import type { AvailableServer } from "@aiw/contract/views";
import { createSignal, For, type JSX, Show } from "solid-js";
import { mcp as t } from "../../i18n/mcp.ts";
import { sources as words } from "../../i18n/sources.ts";
import { FormField } from "../../ui/form-field.tsx";
import { SecretField } from "../../ui/secret-field.tsx";
import { Buttons, ConfirmBox, submit } from "./wizard-steps.tsx";

/** What the wizard collects before anything is sent. */
export interface McpDraft {
  readonly server: AvailableServer | null;
  readonly name: string;
  readonly token: string;
}

interface StepProps {
  readonly draft: McpDraft;
  readonly change: (part: Partial<McpDraft>) => void;
  readonly nameFault: string | undefined;
  readonly onNext: () => void;
}

const ServerChoice = (props: {
  readonly server: AvailableServer;
  readonly chosen: boolean;
  readonly onPick: () => void;
}): JSX.Element => (
  <label
    class={`flex items-start gap-2 rounded-control border p-3 ${props.chosen ? "border-accent bg-sunken" : "border-line-strong"} ${props.server.connected ? "text-ink-2" : "cursor-pointer"}`}
  >
    <input
      type="radio"
      name="mcp-server"
      class="mt-0.5 size-4 shrink-0 accent-accent"
      checked={props.chosen}
      disabled={props.server.connected}
      onChange={() => props.onPick()}
    />
    <span class="min-w-0">
      <span class="flex flex-wrap items-baseline gap-x-2">
        <code class="mono font-semibold">{props.server.name}</code>
        <span class="text-meta text-ink-2">
          {t(`purpose.${props.server.purpose}`)} ·{" "}
          {t("source.ready", props.server.tools.total - props.server.tools.unclassified)}
          <Show when={props.server.tools.unclassified > 0}>
            {", "}
            {t("unclassified", props.server.tools.unclassified)}
          </Show>
        </span>
        <Show when={props.server.connected}>
          <span class="badge border-line-strong">{t("source.connected")}</span>
        </Show>
      </span>
      <code class="mono block text-ink-2 [overflow-wrap:anywhere]">{props.server.url}</code>
    </span>
  </label>
);

/** Which of the registered servers, and what it is called here. */
export const ServerStep = (props: StepProps & { readonly servers: readonly AvailableServer[] }): JSX.Element => {
  const [tried, setTried] = createSignal(false);
  const pick = (server: AvailableServer): void => {
    const wasOwn = props.draft.name.trim() !== "" && props.draft.name !== props.draft.server?.name;
    props.change({ server, ...(wasOwn ? {} : { name: server.name }) });
  };
  const next = (): void => {
    setTried(true);
    if (props.draft.server !== null && props.draft.name.trim() !== "") props.onNext();
  };
  return (
    <form class="flex flex-col gap-4" noValidate onSubmit={submit(next)}>
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-1 text-ink-2">{t("source.pickIntro")}</legend>
        <For each={props.servers}>
          {(server) => (
            <ServerChoice server={server} chosen={props.draft.server?.id === server.id} onPick={() => pick(server)} />
          )}
        </For>
        <Show when={tried() && props.draft.server === null}>
          <p role="alert" class="text-neg">
            {t("source.pickRequired")}
          </p>
        </Show>
      </fieldset>
      <FormField
        label={words("field.name")}
        help={words("field.nameHint")}
        error={tried() && props.draft.name.trim() === "" ? words("wizard.nameRequired") : props.nameFault}
        required
      >
        {(attrs) => (
          <input
            {...attrs}
            class="input"
            maxlength={80}
            autocomplete="off"
            value={props.draft.name}
            onInput={(event) => props.change({ name: event.currentTarget.value })}
          />
        )}
      </FormField>
      <Buttons next={words("wizard.next")} onBack={undefined} />
    </form>
  );
};

/** How to sign in at the server; may stay empty. */
export const TokenStep = (props: StepProps & { readonly onBack: () => void }): JSX.Element => (
  <form class="flex flex-col gap-4" noValidate onSubmit={submit(() => props.onNext())}>
    <p class="text-ink-2">{t("source.credentialsIntro")}</p>
    <FormField label={t("source.token")} help={t("source.tokenHint")}>
      {(attrs) => (
        <SecretField
          field={attrs}
          name="source-token"
          value={props.draft.token}
          onInput={(token) => props.change({ token })}
          autocomplete="off"
        />
      )}
    </FormField>
    <Buttons next={words("wizard.next")} onBack={() => props.onBack()} />
  </form>
);

const accessText = ({ token, server }: McpDraft): string => {
  if (token.length >= 8) return words("wizard.summary.token", { last4: token.slice(-4) });
  if (token !== "") return words("wizard.summary.tokenShort");
  return server?.hasToken === true ? t("source.platformToken") : words("wizard.summary.anonymous");
};

/** What the connection allows and who will see it; the admin confirms it in person (SRC-2). */
export const McpConsentStep = (
  props: StepProps & { readonly members: number; readonly busy: boolean; readonly onBack: () => void },
): JSX.Element => {
  const [confirmed, setConfirmed] = createSignal(false);
  const [tried, setTried] = createSignal(false);
  let box: HTMLInputElement | undefined;
  const next = (): void => {
    setTried(true);
    if (!confirmed()) return box?.focus();
    props.onNext();
  };
  return (
    <form class="flex flex-col gap-4" noValidate onSubmit={submit(next)}>
      <dl class="grid gap-x-4 gap-y-1 md:grid-cols-[8rem_minmax(0,1fr)]">
        <dt class="text-ink-2">{t("source.summaryServer")}</dt>
        <dd class="font-mono text-meta [overflow-wrap:anywhere]">
          {props.draft.server?.name} · {props.draft.server?.url}
        </dd>
        <dt class="text-ink-2">{words("wizard.summary.access")}</dt>
        <dd>{accessText(props.draft)}</dd>
      </dl>
      <ul class="list-disc space-y-1 pl-5">
        <li>{t("source.reads")}</li>
        <li>{words("wizard.modelUnnamed")}</li>
        <li>{words("wizard.who", props.members)}</li>
        <li>{t("source.writes")}</li>
        <li>{t("source.sends")}</li>
      </ul>
      <ConfirmBox confirmed={confirmed()} tried={tried()} onChange={setConfirmed} ref={(element) => (box = element)} />
      <Buttons
        next={props.busy ? words("wizard.creating") : words("wizard.create")}
        busy={props.busy}
        onBack={() => props.onBack()}
      />
    </form>
  );
};
