import type { Source } from "@aiw/contract/views";
import { createSignal, type JSX, Show } from "solid-js";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { problemText, wordCode } from "../../i18n/problems.ts";
import { sources as words } from "../../i18n/sources.ts";
import { uploads as t } from "../../i18n/uploads.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { createSourceTest } from "./source-test.ts";
import { Progress, TestStep } from "./wizard-parts.tsx";
import { ConfirmBox } from "./wizard-steps.tsx";

/** Connects uploads: a name, the consent, the test; there is nothing to sign in at (UPL-3, SRC-2). */
export const UploadsWizard = (props: {
  readonly workspaceId: string;
  readonly members: number;
  /** Above the first step. */
  readonly kinds: JSX.Element;
}): JSX.Element => {
  const [name, setName] = createSignal(t("wizard.name"));
  const [confirmed, setConfirmed] = createSignal(false);
  const [tried, setTried] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [created, setCreated] = createSignal<Source>();
  const test = createSourceTest(() => props.workspaceId);
  let box: HTMLInputElement | undefined;
  const nameFault = (): string | undefined => {
    if (tried() && name().trim() === "") return words("wizard.nameRequired");
    if (failure() === null) return undefined;
    const problem = asProblem(failure());
    const code = problem.fields["name"];
    return code === undefined ? undefined : (wordCode(code) ?? problemText(problem));
  };
  const create = async (): Promise<void> => {
    setTried(true);
    if (name().trim() === "") return;
    if (!confirmed()) return box?.focus();
    setBusy(true);
    setFailure(null);
    try {
      const source = await call("connectUploads", {
        params: { workspaceId: props.workspaceId },
        body: { name: name().trim(), confirmed: true },
      });
      setCreated(source);
      for (const key of [keys.sources, keys.tools, keys.uploads])
        void queryClient.invalidateQueries({ queryKey: key(props.workspaceId) });
      await test.start(source.id);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Progress steps={[words("wizard.consent"), words("wizard.test")]} at={created() === undefined ? 0 : 1} />
      <Show when={created() === undefined}>{props.kinds}</Show>
      <section class="panel p-5" aria-labelledby="wizard-step">
        <h2 id="wizard-step" class="mb-3 text-lg">
          {created() === undefined ? words("wizard.consent") : words("wizard.test")}
        </h2>
        <Show
          when={created()}
          fallback={
            <form
              class="flex flex-col gap-4"
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                void create();
              }}
            >
              <p class="text-ink-2">{t("wizard.intro")}</p>
              <ErrorLine error={failure()} />
              <FormField label={words("field.name")} help={words("field.nameHint")} error={nameFault()} required>
                {(attrs) => (
                  <input
                    {...attrs}
                    class="input"
                    autocomplete="off"
                    maxLength={80}
                    value={name()}
                    onInput={(event) => setName(event.currentTarget.value)}
                  />
                )}
              </FormField>
              <ul class="list-disc space-y-1 pl-5">
                <li>{t("wizard.reads")}</li>
                <li>{t("wizard.members")}</li>
                <li>{words("wizard.modelUnnamed")}</li>
                <li>{words("wizard.who", props.members)}</li>
              </ul>
              <ConfirmBox
                confirmed={confirmed()}
                tried={tried()}
                onChange={setConfirmed}
                ref={(element) => (box = element)}
              />
              <button type="submit" class="btn btn-primary self-start" disabled={busy()}>
                {busy() ? words("wizard.creating") : words("wizard.create")}
              </button>
            </form>
          }
        >
          {(source) => <TestStep workspaceId={props.workspaceId} created={source()} test={test} />}
        </Show>
      </section>
    </>
  );
};
