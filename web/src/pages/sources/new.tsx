import type { Source } from "@aiw/contract/views";
import { A, useParams } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import Check from "lucide-solid/icons/check";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { createStore } from "solid-js/store";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { useWorkspace } from "../../data/workspace.ts";
import { problemText, wordCode } from "../../i18n/problems.ts";
import { sources as t } from "../../i18n/sources.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { createSourceTest } from "./source-test.ts";
import { TestStages } from "./test-stages.tsx";
import { bodyOf, type Draft } from "./wizard-model.ts";
import { AddressStep, ConsentStep, CredentialsStep } from "./wizard-steps.tsx";

const STEPS = ["address", "credentials", "consent", "test"] as const;
type Step = (typeof STEPS)[number];

const Progress = (props: { readonly step: Step }): JSX.Element => (
  <ol class="flex flex-wrap gap-x-5 gap-y-1">
    <For each={STEPS}>
      {(step, index) => {
        const done = (): boolean => STEPS.indexOf(props.step) > index();
        return (
          <li
            aria-current={props.step === step ? "step" : undefined}
            class={`flex items-center gap-1.5 ${props.step === step ? "font-semibold text-accent-ink" : "text-ink-2"}`}
          >
            <span
              class={`num inline-flex size-5 items-center justify-center rounded-full border text-meta ${props.step === step ? "border-accent bg-accent text-on-accent" : "border-line-strong"}`}
            >
              <Show when={done()} fallback={index() + 1}>
                <Check size={12} aria-hidden="true" />
              </Show>
            </span>
            {t(`wizard.${step}`)}
          </li>
        );
      }}
    </For>
  </ol>
);

/** Result of the first test, live, and where to go from here. */
const TestStep = (props: {
  readonly workspaceId: string;
  readonly created: Source;
  readonly running: boolean;
  readonly failure: unknown;
  readonly broken: boolean;
  readonly again: () => void;
}): JSX.Element => {
  const query = useQuery(() => ({
    queryKey: keys.source(props.workspaceId, props.created.id),
    queryFn: () => call("getSource", { params: { workspaceId: props.workspaceId, sourceId: props.created.id } }),
    initialData: props.created,
  }));
  const base = (): string => `/w/${props.workspaceId}`;
  const status = (): Source["status"] => query.data?.status ?? "untested";
  return (
    <div class="flex flex-col gap-4">
      <div class="panel p-4">
        <TestStages report={query.data?.lastTest ?? null} running={props.running} />
        <Show when={props.broken}>
          <p role="alert" class="text-neg">
            {t("test.jobFailed")}
          </p>
        </Show>
        <ErrorLine error={props.failure} />
      </div>
      <Show when={!props.running}>
        <Show when={status() !== "untested"}>
          <p>{status() === "tested" ? t("wizard.done") : t("wizard.failed")}</p>
        </Show>
        <div class="flex flex-wrap gap-2">
          <Show when={status() === "tested"}>
            <A class="btn btn-primary" href={`${base()}/chats`}>
              {t("wizard.toChats")}
            </A>
          </Show>
          <Show when={status() !== "tested"}>
            <button type="button" class="btn btn-primary" onClick={() => props.again()}>
              {t("test.again")}
            </button>
          </Show>
          <A class="btn" href={`${base()}/sources/${props.created.id}`}>
            {t("wizard.toSource")}
          </A>
          <A class="btn" href={`${base()}/settings?tab=tools`}>
            {t("wizard.toTools")}
          </A>
        </div>
      </Show>
    </div>
  );
};

const EMPTY: Draft = { name: "", url: "", branch: "", username: "", token: "" };

const Wizard = (props: { readonly workspaceId: string; readonly members: number }): JSX.Element => {
  const [step, setStep] = createSignal<Step>("address");
  const [draft, setDraft] = createStore<Draft>({ ...EMPTY });
  const [faults, setFaults] = createSignal<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [created, setCreated] = createSignal<Source>();
  const test = createSourceTest(() => props.workspaceId);
  let heading: HTMLHeadingElement | undefined;
  const go = (next: Step): void => {
    setStep(next);
    queueMicrotask(() => heading?.focus());
  };
  const fail = (error: unknown): void => {
    const problem = asProblem(error);
    const found: Record<string, string> = Object.fromEntries(
      Object.entries(problem.fields).map(([field, code]) => [field, wordCode(code) ?? problemText(problem)]),
    );
    if (problem.code === "name_taken") found["name"] ??= problemText(problem);
    if (problem.code === "source_url_invalid" || problem.code === "source_host_not_allowed")
      found["url"] ??= problemText(problem);
    setFaults(found);
    setFailure(error);
    if (found["url"] !== undefined || found["name"] !== undefined || found["branch"] !== undefined) go("address");
    else if (found["username"] !== undefined || found["token"] !== undefined) go("credentials");
  };
  const create = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    setFaults({});
    try {
      const source = await call("createSource", { params: { workspaceId: props.workspaceId }, body: bodyOf(draft) });
      // The token is not needed any more: it leaves the page's memory with the step.
      setDraft({ ...EMPTY });
      setCreated(source);
      go("test");
      void queryClient.invalidateQueries({ queryKey: keys.sources(props.workspaceId) });
      await test.start(source.id);
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  const common = {
    get draft() {
      return draft;
    },
    get faults() {
      return faults();
    },
    change: (part: Partial<Draft>) => setDraft(part),
  };
  return (
    <>
      <Progress step={step()} />
      <section class="panel p-5" aria-labelledby="wizard-step">
        <h2 id="wizard-step" class="mb-3 text-lg" tabindex={-1} ref={(element) => (heading = element)}>
          {t(`wizard.${step()}`)}
        </h2>
        <Show when={failure() !== null && step() !== "test"}>
          <div class="mb-3">
            <ErrorLine error={failure()} />
          </div>
        </Show>
        <Switch>
          <Match when={step() === "address"}>
            <AddressStep {...common} onNext={() => go("credentials")} onBack={() => {}} />
          </Match>
          <Match when={step() === "credentials"}>
            <CredentialsStep {...common} onNext={() => go("consent")} onBack={() => go("address")} />
          </Match>
          <Match when={step() === "consent"}>
            <ConsentStep
              {...common}
              members={props.members}
              busy={busy()}
              onNext={() => void create()}
              onBack={() => go("credentials")}
            />
          </Match>
          <Match when={step() === "test" && created()}>
            {(source) => (
              <TestStep
                workspaceId={props.workspaceId}
                created={source()}
                running={test.running()}
                failure={test.failure()}
                broken={test.broken()}
                again={() => void test.start(source().id)}
              />
            )}
          </Match>
        </Switch>
      </section>
    </>
  );
};

/** Connecting a source: address, credentials, consent, staged test (SRC-2). */
export const NewSourcePage = (): JSX.Element => {
  const params = useParams<{ ws: string }>();
  const workspace = useWorkspace(() => params.ws);
  return (
    <Page>
      <QueryPanel query={workspace} rows={5} whole>
        {(ws) => (
          <>
            <PageHeader title={t("wizard.title")} />
            <Show when={ws().role === "admin"} fallback={<EmptyState title={t("onlyAdmin")} />}>
              <Wizard workspaceId={params.ws} members={ws().members.length} />
            </Show>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
