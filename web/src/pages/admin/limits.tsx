import type { LimitSettings } from "@aiw/contract/operation";
import { A } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { asProblem, call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { num } from "../../i18n/index.ts";
import { operation as t } from "../../i18n/operation.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { Page } from "../../ui/page.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction } from "../settings/save.ts";
import { LEAST, type LimitName, LIMITS, textsOf, valueOf, valuesOf } from "./limits-model.ts";

const HELP = {
  runWallS: "limits.runWallSHelp",
  toolResultBytes: "limits.toolResultBytesHelp",
  identicalCalls: "limits.identicalCallsHelp",
} as const;
const helpOf = (name: LimitName): string => (name === "modelCalls" || name === "runTokens" ? "" : `${t(HELP[name])} `);

const LimitForm = (props: { readonly settings: LimitSettings }): JSX.Element => {
  const [texts, setTexts] = createSignal(textsOf(props.settings));
  const [version, setVersion] = createSignal(props.settings.version);
  const [tried, setTried] = createSignal(false);
  const action = createAction();
  const most = (name: LimitName): number => Math.floor(props.settings.defaults[name]);
  const fault = (name: LimitName): string | undefined =>
    tried() && valueOf(texts()[name], LEAST[name], most(name)) === undefined
      ? t("limits.invalid", { min: num(LEAST[name]), max: num(most(name)) })
      : undefined;
  const take = (settings: LimitSettings): void => {
    queryClient.setQueryData(keys.adminLimits, settings);
    setTexts(textsOf(settings));
    setVersion(settings.version);
    setTried(false);
  };
  const save = async (): Promise<void> => {
    setTried(true);
    const values = valuesOf(texts(), props.settings.defaults);
    if (values === undefined) return;
    const done = await action.run(async () =>
      take(await call("setLimits", { body: { ...values, version: version() } })),
    );
    if (done) toast(t("limits.saved"));
    else if (asProblem(action.failure()).code === "conflict") take(await call("getLimits"));
  };
  return (
    <form
      class="panel flex flex-col gap-4 p-4"
      noValidate
      aria-labelledby="limits-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 id="limits-title" class="text-lg">
        {t("limits.runs")}
      </h2>
      <For each={LIMITS}>
        {(name) => (
          <FormField
            label={t(`limits.${name}`)}
            help={`${helpOf(name)}${t("limits.most", { n: num(most(name)) })}`}
            error={fault(name)}
          >
            {(field) => (
              <input
                {...field}
                class="input max-w-60"
                name={name}
                inputmode="numeric"
                autocomplete="off"
                placeholder={String(most(name))}
                value={texts()[name]}
                onInput={(event) => setTexts({ ...texts(), [name]: event.currentTarget.value })}
              />
            )}
          </FormField>
        )}
      </For>
      <Show
        when={action.failure() !== null && asProblem(action.failure()).code === "conflict"}
        fallback={<ErrorLine error={action.failure()} />}
      >
        <p role="alert" class="text-neg">
          {t("limits.conflict")}
        </p>
      </Show>
      <button type="submit" class="btn btn-primary self-start" aria-disabled={action.busy()}>
        {t("limits.save")}
      </button>
    </form>
  );
};

/** Bounds of every run, for platform admins (RUN-10, ADM-1). */
export const AdminLimitsPage = (): JSX.Element => {
  const query = useQuery(() => ({ queryKey: keys.adminLimits, queryFn: () => call("getLimits") }));
  return (
    <Page>
      <PageHeader title={t("limits.title")} lead={t("limits.intro")} />
      <QueryPanel query={query} rows={3}>
        {(data) => <LimitForm settings={data()} />}
      </QueryPanel>
      <section aria-labelledby="team-limits-title" class="flex flex-col gap-1">
        <h2 id="team-limits-title" class="text-lg">
          {t("limits.teams")}
        </h2>
        <p class="text-ink-2">
          {t("limits.teamsHint")}{" "}
          <A class="link" href="/admin/users">
            {t("limits.teamsLink")}
          </A>
        </p>
      </section>
    </Page>
  );
};
