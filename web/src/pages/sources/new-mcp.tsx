import type { Source } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { createStore } from "solid-js/store";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { mcp as t } from "../../i18n/mcp.ts";
import { problemText, wordCode } from "../../i18n/problems.ts";
import { sources as words } from "../../i18n/sources.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { type McpDraft, McpConsentStep, ServerStep, TokenStep } from "./mcp-steps.tsx";
import { createSourceTest } from "./source-test.ts";
import { Progress, TestStep } from "./wizard-parts.tsx";

const STEPS = ["server", "credentials", "consent", "test"] as const;
type Step = (typeof STEPS)[number];
const stepText = (step: Step): string => (step === "server" ? t("source.pick") : words(`wizard.${step}`));

const EMPTY: McpDraft = { server: null, name: "", token: "" };

/** Connects a server that the platform registered: which one, own token, consent, staged test (MCP-1, SRC-2). */
export const McpWizard = (props: {
  readonly workspaceId: string;
  readonly members: number;
  /** Above the first step. */
  readonly kinds: JSX.Element;
}): JSX.Element => {
  const [step, setStep] = createSignal<Step>("server");
  const [draft, setDraft] = createStore<McpDraft>({ ...EMPTY });
  const [nameFault, setNameFault] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [created, setCreated] = createSignal<Source>();
  const test = createSourceTest(() => props.workspaceId);
  const servers = useQuery(() => ({
    queryKey: keys.availableServers(props.workspaceId),
    queryFn: () => call("listAvailableServers", { params: { workspaceId: props.workspaceId } }),
  }));
  let heading: HTMLHeadingElement | undefined;
  const go = (next: Step): void => {
    setStep(next);
    queueMicrotask(() => heading?.focus());
  };
  const fail = (error: unknown): void => {
    const problem = asProblem(error);
    const name = problem.fields["name"];
    setNameFault(name === undefined ? undefined : (wordCode(name) ?? problemText(problem)));
    setFailure(error);
    if (name !== undefined || problem.code === "mcp_server_connected" || problem.code === "not_found") go("server");
  };
  const create = async (): Promise<void> => {
    if (draft.server === null) return go("server");
    setBusy(true);
    setFailure(null);
    setNameFault(undefined);
    try {
      const { server, name, token } = draft;
      const source = await call("connectServer", {
        params: { workspaceId: props.workspaceId },
        body: { serverId: server.id, name: name.trim(), token: token === "" ? null : token, confirmed: true },
      });
      // The token is not needed any more: it leaves the page's memory with the step.
      setDraft({ ...EMPTY });
      setCreated(source);
      go("test");
      for (const key of [keys.sources, keys.availableServers, keys.tools])
        void queryClient.invalidateQueries({ queryKey: key(props.workspaceId) });
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
    get nameFault() {
      return nameFault();
    },
    change: (part: Partial<McpDraft>) => setDraft(part),
  };
  return (
    <>
      <Progress steps={STEPS.map(stepText)} at={STEPS.indexOf(step())} />
      <Show when={step() === "server"}>{props.kinds}</Show>
      <section class="panel p-5" aria-labelledby="wizard-step">
        <h2 id="wizard-step" class="mb-3 text-lg" tabindex={-1} ref={(element) => (heading = element)}>
          {stepText(step())}
        </h2>
        <Show when={failure() !== null && step() !== "test"}>
          <div class="mb-3">
            <ErrorLine error={failure()} />
          </div>
        </Show>
        <Switch>
          <Match when={step() === "server"}>
            <QueryPanel query={servers} rows={3}>
              {(data) => (
                <Show
                  when={data().items.length > 0}
                  fallback={<EmptyState title={t("source.none")}>{t("source.noneHint")}</EmptyState>}
                >
                  <ServerStep {...common} servers={data().items} onNext={() => go("credentials")} />
                </Show>
              )}
            </QueryPanel>
          </Match>
          <Match when={step() === "credentials"}>
            <TokenStep {...common} onNext={() => go("consent")} onBack={() => go("server")} />
          </Match>
          <Match when={step() === "consent"}>
            <McpConsentStep
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
