import type { Source } from "@aiw/contract/views";
import { useParams } from "@solidjs/router";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
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
import { McpWizard } from "./new-mcp.tsx";
import { UploadsWizard } from "./new-uploads.tsx";
import { createSourceTest } from "./source-test.ts";
import { bodyOf, type Draft } from "./wizard-model.ts";
import { KindCards, Progress, TestStep } from "./wizard-parts.tsx";
import { AddressStep, ConsentStep, CredentialsStep } from "./wizard-steps.tsx";

const STEPS = ["address", "credentials", "consent", "test"] as const;
type Step = (typeof STEPS)[number];

const EMPTY: Draft = { name: "", url: "", branch: "", username: "", token: "" };

const GitWizard = (props: {
  readonly workspaceId: string;
  readonly members: number;
  /** Above the first step. */
  readonly kinds: JSX.Element;
}): JSX.Element => {
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
      <Progress steps={STEPS.map((name) => t(`wizard.${name}`))} at={STEPS.indexOf(step())} />
      <Show when={step() === "address"}>{props.kinds}</Show>
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
            {(source) => <TestStep workspaceId={props.workspaceId} created={source()} test={test} />}
          </Match>
        </Switch>
      </section>
    </>
  );
};

/** Connecting a source: what kind, which one, credentials, consent, staged test (SRC-2). */
export const NewSourcePage = (): JSX.Element => {
  const params = useParams<{ ws: string }>();
  const workspace = useWorkspace(() => params.ws);
  const [kind, setKind] = createSignal<Source["kind"]>("git");
  const cards = (): JSX.Element => <KindCards kind={kind()} onPick={setKind} />;
  return (
    <Page>
      <QueryPanel query={workspace} rows={5} whole>
        {(ws) => (
          <>
            <PageHeader title={t("wizard.title")} />
            <Show when={ws().role === "admin"} fallback={<EmptyState title={t("onlyAdmin")} />}>
              <Switch>
                <Match when={kind() === "git"}>
                  <GitWizard workspaceId={params.ws} members={ws().members.length} kinds={cards()} />
                </Match>
                <Match when={kind() === "mcp"}>
                  <McpWizard workspaceId={params.ws} members={ws().members.length} kinds={cards()} />
                </Match>
                <Match when={kind() === "uploads"}>
                  <UploadsWizard workspaceId={params.ws} members={ws().members.length} kinds={cards()} />
                </Match>
              </Switch>
            </Show>
          </>
        )}
      </QueryPanel>
    </Page>
  );
};
