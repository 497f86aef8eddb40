import { createSignal, type JSX, Show } from "solid-js";
import { sources as t } from "../../i18n/sources.ts";
import { FormField } from "../../ui/form-field.tsx";
import { SecretField } from "../../ui/secret-field.tsx";
import { type Draft, nameFromUrl, urlFault } from "./wizard-model.ts";

export interface StepProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  /** Faults the server named, by field. */
  readonly faults: Readonly<Record<string, string>>;
  readonly onNext: () => void;
  readonly onBack: () => void;
}

export const Buttons = (props: {
  readonly next: string;
  readonly busy?: boolean;
  readonly onBack: (() => void) | undefined;
}): JSX.Element => (
  <div class="mt-2 flex flex-wrap gap-2">
    <button type="submit" class="btn btn-primary" disabled={props.busy === true}>
      {props.next}
    </button>
    <Show when={props.onBack}>
      {(back) => (
        <button type="button" class="btn" disabled={props.busy === true} onClick={() => back()()}>
          {t("wizard.back")}
        </button>
      )}
    </Show>
  </div>
);

export const submit =
  (run: () => void) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    run();
  };

/** Which repository, and what it is called. */
export const AddressStep = (props: StepProps): JSX.Element => {
  const [tried, setTried] = createSignal(false);
  let urlField: HTMLInputElement | undefined;
  let nameField: HTMLInputElement | undefined;
  const urlError = (): string | undefined => {
    if (!tried()) return props.faults["url"];
    const fault = urlFault(props.draft.url);
    if (fault === "required") return t("wizard.urlRequired");
    if (fault === "credentials") return t("wizard.urlCredentials");
    return fault === "invalid" ? t("wizard.urlInvalid") : props.faults["url"];
  };
  const nameError = (): string | undefined =>
    tried() && props.draft.name.trim() === "" ? t("wizard.nameRequired") : props.faults["name"];
  const next = (): void => {
    setTried(true);
    if (urlFault(props.draft.url) !== null) return urlField?.focus();
    if (props.draft.name.trim() === "") return nameField?.focus();
    props.onNext();
  };
  const proposeName = (): void => {
    if (props.draft.name.trim() === "") props.change({ name: nameFromUrl(props.draft.url) });
  };
  return (
    <form class="flex flex-col gap-4" noValidate onSubmit={submit(next)}>
      <p class="text-ink-2">{t("wizard.addressIntro")}</p>
      <FormField label={t("field.url")} help={t("field.urlHint")} error={urlError()} required>
        {(attrs) => (
          <input
            {...attrs}
            ref={(element) => (urlField = element)}
            class="input font-mono"
            type="url"
            inputmode="url"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxlength={2000}
            value={props.draft.url}
            onInput={(event) => props.change({ url: event.currentTarget.value })}
            onBlur={proposeName}
          />
        )}
      </FormField>
      <FormField label={t("field.name")} help={t("field.nameHint")} error={nameError()} required>
        {(attrs) => (
          <input
            {...attrs}
            ref={(element) => (nameField = element)}
            class="input"
            maxlength={80}
            autocomplete="off"
            value={props.draft.name}
            onInput={(event) => props.change({ name: event.currentTarget.value })}
          />
        )}
      </FormField>
      <FormField label={t("field.branch")} help={t("field.branchHint")} error={props.faults["branch"]}>
        {(attrs) => (
          <input
            {...attrs}
            class="input font-mono"
            maxlength={200}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={props.draft.branch}
            onInput={(event) => props.change({ branch: event.currentTarget.value })}
          />
        )}
      </FormField>
      <Buttons next={t("wizard.next")} onBack={undefined} />
    </form>
  );
};

/** How to sign in at the server; both fields may stay empty. */
export const CredentialsStep = (props: StepProps): JSX.Element => (
  <form class="flex flex-col gap-4" noValidate onSubmit={submit(() => props.onNext())}>
    <p class="text-ink-2">{t("wizard.credentialsIntro")}</p>
    <FormField label={t("field.username")} help={t("field.usernameHint")} error={props.faults["username"]}>
      {(attrs) => (
        <input
          {...attrs}
          class="input"
          maxlength={200}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={props.draft.username}
          onInput={(event) => props.change({ username: event.currentTarget.value })}
        />
      )}
    </FormField>
    <FormField label={t("field.token")} help={t("field.tokenHint")} error={props.faults["token"]}>
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
    <Buttons next={t("wizard.next")} onBack={() => props.onBack()} />
  </form>
);

export interface ConsentProps extends StepProps {
  readonly members: number;
  readonly busy: boolean;
}

const accessText = (draft: Draft): string => {
  const token =
    draft.token.length >= 8
      ? t("wizard.summary.token", { last4: draft.token.slice(-4) })
      : draft.token === ""
        ? t("wizard.summary.anonymous")
        : t("wizard.summary.tokenShort");
  return draft.username.trim() === ""
    ? token
    : `${t("wizard.summary.user", { name: draft.username.trim() })}, ${token}`;
};

/** The one tick that makes a source visible to all members; who connects it sets it in person (SRC-2). */
export const ConfirmBox = (props: {
  readonly confirmed: boolean;
  readonly tried: boolean;
  readonly onChange: (confirmed: boolean) => void;
  readonly ref: (element: HTMLInputElement) => void;
}): JSX.Element => (
  <div class="rounded-control border border-line-strong p-3">
    <label class="flex items-start gap-2">
      <input
        ref={(element) => props.ref(element)}
        type="checkbox"
        class="mt-0.5 size-4 shrink-0 accent-accent"
        checked={props.confirmed}
        aria-describedby="consent-hint"
        aria-invalid={props.tried && !props.confirmed ? "true" : undefined}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span class="font-medium">{t("wizard.confirm")}</span>
    </label>
    <p id="consent-hint" class="mt-1 pl-6 text-meta text-ink-2">
      {t("wizard.confirmHint")}
    </p>
    <Show when={props.tried && !props.confirmed}>
      <p role="alert" class="mt-1 pl-6 text-neg">
        {t("wizard.confirmRequired")}
      </p>
    </Show>
  </div>
);

/** What the connection allows and who will see it; the admin confirms it in person (SRC-2). */
export const ConsentStep = (props: ConsentProps): JSX.Element => {
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
        <dt class="text-ink-2">{t("wizard.summary.repository")}</dt>
        <dd class="font-mono text-meta [overflow-wrap:anywhere]">{props.draft.url.trim()}</dd>
        <dt class="text-ink-2">{t("wizard.summary.branch")}</dt>
        <dd>{props.draft.branch.trim() === "" ? t("wizard.summary.defaultBranch") : props.draft.branch.trim()}</dd>
        <dt class="text-ink-2">{t("wizard.summary.access")}</dt>
        <dd>{accessText(props.draft)}</dd>
      </dl>
      <ul class="list-disc space-y-1 pl-5">
        <li>{t("wizard.reads")}</li>
        <li>{t("wizard.modelUnnamed")}</li>
        <li>{t("wizard.who", props.members)}</li>
        <li>{t("wizard.writes")}</li>
        <li>{t("wizard.refs")}</li>
      </ul>
      <ConfirmBox confirmed={confirmed()} tried={tried()} onChange={setConfirmed} ref={(element) => (box = element)} />
      <Buttons
        next={props.busy ? t("wizard.creating") : t("wizard.create")}
        busy={props.busy}
        onBack={() => props.onBack()}
      />
    </form>
  );
};
