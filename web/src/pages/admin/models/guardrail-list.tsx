import type { Guardrail } from "@aiw/contract/guardrails";
import { useQuery } from "@tanstack/solid-query";
import Plus from "lucide-solid/icons/plus";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { queryClient } from "../../../data/query.ts";
import { models as t } from "../../../i18n/models.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorLine } from "../../../ui/error-panel.tsx";
import { QueryPanel } from "../../../ui/query-panel.tsx";
import { toast } from "../../../ui/toast.tsx";
import { VisibleText } from "../../../ui/visible-text-view.tsx";
import { createAction } from "../../settings/save.ts";
import { CONDITIONS, GuardrailForm, textOf } from "./guardrail-form.tsx";

const Row = (props: { readonly line: Guardrail }): JSX.Element => {
  const [editing, setEditing] = createSignal(false);
  const action = createAction();
  const kind = (): string => {
    if (!props.line.builtIn) return t("guard.own");
    return props.line.changed ? t("guard.changed") : t("guard.builtIn");
  };
  const reset = async (): Promise<void> => {
    const { name, builtIn } = props.line;
    await action.run(async () => {
      const answer = await call("resetGuardrail", { params: { guardrailName: name } });
      toast(t(builtIn ? "guard.resetDone" : "guard.removedDone", { name }));
      queryClient.setQueryData(keys.adminGuardrails, answer);
    });
  };
  return (
    <li class="flex flex-col gap-1 px-4 py-3">
      <div class="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div class="min-w-0 flex-1 basis-72">
          <p class="flex flex-wrap items-baseline gap-x-3">
            <code class="mono font-semibold">{props.line.name}</code>
            <span class="text-meta text-ink-2">{kind()}</span>
            <Show when={!props.line.enabled}>
              <span class="text-meta font-medium text-warn">{t("guard.off")}</span>
            </Show>
          </p>
          <dl class="text-meta">
            <For each={CONDITIONS.filter((of) => props.line.match[of] !== undefined)}>
              {(of) => (
                <div class="flex flex-wrap gap-x-2">
                  <dt class="text-ink-2">{t(`guard.when.${of}`)}:</dt>
                  <dd class="mono [overflow-wrap:anywhere]">
                    <VisibleText text={textOf(props.line.match, of)} />
                  </dd>
                </div>
              )}
            </For>
            <Show when={props.line.direction}>
              {(direction) => (
                <div class="flex flex-wrap gap-x-2">
                  <dt class="text-ink-2">{t("guard.direction")}:</dt>
                  <dd>{t(`guard.directions.${direction()}`)}</dd>
                </div>
              )}
            </Show>
            <Show when={props.line.userText}>
              {(text) => (
                <div class="flex flex-wrap gap-x-2">
                  <dt class="text-ink-2">{t("guard.userText")}:</dt>
                  <dd class="[overflow-wrap:anywhere]">
                    <VisibleText text={text()} />
                  </dd>
                </div>
              )}
            </Show>
          </dl>
        </div>
        <div class="flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-sm"
            aria-label={t("guard.editOf", { name: props.line.name })}
            onClick={() => setEditing(true)}
          >
            {t("guard.edit")}
          </button>
          <Show when={!props.line.builtIn || props.line.changed}>
            <button
              type="button"
              class="btn btn-sm"
              aria-label={t(props.line.builtIn ? "guard.resetOf" : "guard.removeOf", { name: props.line.name })}
              aria-disabled={action.busy()}
              onClick={() => void reset()}
            >
              {t(props.line.builtIn ? "guard.reset" : "guard.remove")}
            </button>
          </Show>
        </div>
      </div>
      <ErrorLine error={action.failure()} />
      <Dialog open={editing()} onOpenChange={setEditing} title={t("guard.editTitle", { name: props.line.name })}>
        <GuardrailForm line={props.line} onDone={() => setEditing(false)} />
      </Dialog>
    </li>
  );
};

/** The guardrail map, in the order in which it is looked at (GW-4). */
export const GuardrailList = (): JSX.Element => {
  const [adding, setAdding] = createSignal(false);
  const query = useQuery(() => ({ queryKey: keys.adminGuardrails, queryFn: () => call("listGuardrails") }));
  return (
    <section aria-labelledby="guardrail-title" class="flex flex-col gap-3">
      <div class="flex flex-wrap items-start justify-between gap-2">
        <div class="min-w-0 flex-1 basis-72">
          <h2 id="guardrail-title" class="text-lg">
            {t("guard.title")}
          </h2>
          <p class="max-w-[80ch] text-ink-2">{t("guard.intro")}</p>
        </div>
        <button type="button" class="btn btn-primary" onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("guard.add")}
        </button>
      </div>
      <QueryPanel query={query} rows={5}>
        {(data) => (
          <ul class="panel divide-y divide-line" aria-label={t("guard.title")}>
            <For each={data().items.map((line) => line.name)}>
              {(name) => (
                <Show when={data().items.find((line) => line.name === name)}>{(line) => <Row line={line()} />}</Show>
              )}
            </For>
          </ul>
        )}
      </QueryPanel>
      <Dialog open={adding()} onOpenChange={setAdding} title={t("guard.add")}>
        <GuardrailForm onDone={() => setAdding(false)} />
      </Dialog>
    </section>
  );
};
