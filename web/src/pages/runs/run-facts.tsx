import type { RunDetail } from "@aiw/contract/views";
import { For, type JSX, Show } from "solid-js";
import { useNow } from "../../data/clock.ts";
import { useCurrency } from "../../data/session.ts";
import { dateTime, duration, money, num, percent, t as words } from "../../i18n/index.ts";
import { runs as t } from "../../i18n/runs.ts";
import { Hash } from "../../ui/hash.tsx";
import { Person } from "../../ui/person.tsx";
import { timeline } from "../../ui/run-timeline-model.ts";

const Fact = (props: { readonly label: string; readonly children: JSX.Element }): JSX.Element => (
  <div class="min-w-0">
    <dt class="label">{props.label}</dt>
    <dd class="num min-w-0 [overflow-wrap:anywhere]">{props.children}</dd>
  </div>
);

/** Who asked, with which model, at which commit, and what it took (RUN-17). Work and waiting are counted apart. */
export const RunFacts = (props: { readonly run: RunDetail }): JSX.Element => {
  const now = useNow();
  const currency = useCurrency();
  const line = () => timeline(props.run.phases, now());
  return (
    <dl class="panel grid grid-cols-2 gap-x-6 gap-y-3 p-4 md:grid-cols-4">
      <Fact label={t("facts.startedBy")}>
        <Person person={props.run.startedBy} />
      </Fact>
      <Fact label={t("facts.started")}>{dateTime(props.run.createdAt)}</Fact>
      <Show when={props.run.endedAt}>
        {(at) => (
          <Fact label={t("facts.ended")}>
            {dateTime(at())}
            <Show when={props.run.endReason}>
              {(reason) => <span class="block text-meta text-ink-2">{t(`endReason.${reason()}`)}</span>}
            </Show>
          </Fact>
        )}
      </Show>
      <Fact label={t("facts.model")}>{props.run.model === "" ? words("none") : props.run.model}</Fact>
      <Fact label={t("facts.agent")}>
        {props.run.agent.version === 0
          ? t("facts.agentBuiltIn")
          : t("facts.agentVersion", { n: String(props.run.agent.version) })}
      </Fact>
      <Fact label={t("facts.work")}>{duration(line().workMs)}</Fact>
      <Fact label={t("facts.wait")}>{duration(line().waitMs)}</Fact>
      <Fact label={t("facts.steps")}>{num(props.run.step)}</Fact>
      <Fact label={t("facts.rounds")}>{num(props.run.toolRounds)}</Fact>
      <Fact label={t("facts.tokens")}>
        {num(props.run.inputTokens)} / {num(props.run.outputTokens)}
      </Fact>
      <Show when={props.run.cost !== null}>
        <Fact label={t("facts.cost")}>{money(props.run.cost ?? 0, currency())}</Fact>
      </Show>
      <Fact label={t("facts.context")}>{percent(props.run.contextFill)}</Fact>
      <Show when={props.run.pins.length > 0}>
        <Fact label={t("facts.pins")}>
          <For each={props.run.pins}>
            {(pin) => (
              <span class="flex flex-wrap items-center gap-x-1.5">
                {pin.sourceName}
                <Show when={pin.commit}>{(commit) => <Hash value={commit()} digits={8} />}</Show>
              </span>
            )}
          </For>
        </Fact>
      </Show>
    </dl>
  );
};
