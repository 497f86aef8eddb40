import type { ApprovalSummary, RunSummary } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import Hourglass from "lucide-solid/icons/hourglass";
import { For, Show } from "solid-js";
import { waitingRequests, waitsFor } from "../../data/waiting.ts";
import { tChat } from "../../i18n/chat.ts";
import { dateTime, t } from "../../i18n/index.ts";
import { Countdown } from "../../ui/countdown.tsx";
import { requestLine } from "../../ui/request-subject.ts";
import { RequestQuote } from "../../ui/request-title.tsx";
import { RequestKind } from "../../ui/request-kind.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";

const whom = (a: ApprovalSummary): string => {
  if (a.responseLabel !== null) return tChat("wait.input", { label: a.responseLabel });
  if (a.stale) return tChat("wait.stale");
  return a.fourEyes ? tChat("wait.fourEyes") : tChat(`wait.${a.level}`);
};

/**
 * While a run, or one it handed work over to, waits for people: for whom, until when, and the way to the request (CHT-4).
 * Stands above the composer, so it cannot scroll away.
 */
export const WaitingDock = (props: { readonly run: RunSummary; readonly approvals: readonly ApprovalSummary[] }) => {
  const open = (): readonly ApprovalSummary[] => waitingRequests(props.run, props.approvals);
  const waiting = (): ReturnType<typeof waitsFor> => waitsFor(props.run, props.approvals);
  return (
    <Show when={waiting()}>
      {(state) => (
        <section
          class="rounded-panel border border-warn bg-warn-bg p-3 text-ink"
          aria-label={t(`run.${state()}`)}
          data-testid="waiting"
        >
          <For each={open()} fallback={<p class="font-medium text-warn">{t(`run.${state()}`)}</p>}>
            {(a) => (
              <div class="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 not-first:mt-3">
                <div class="min-w-0 flex-1 basis-72">
                  <p class="flex flex-wrap items-center gap-x-2 font-medium">
                    <span class="inline-flex items-start gap-2 text-warn">
                      <Hourglass size={15} class="mt-0.5 shrink-0" aria-hidden="true" />
                      <VisibleText text={whom(a)} />
                    </span>
                    <Show when={a.expiresAt}>
                      {(at) => (
                        <span class="text-meta font-normal">
                          <Countdown until={at()} /> ({tChat("wait.until", { time: dateTime(at()) })})
                        </span>
                      )}
                    </Show>
                  </p>
                  <p class="mt-0.5 [overflow-wrap:anywhere]">
                    {tChat("wait.request", { n: a.number })} · <VisibleText text={requestLine(a, true)} />{" "}
                    <RequestKind item={a} />
                  </p>
                  <RequestQuote item={a} />
                  <Show when={a.fourEyes}>
                    <p class="text-meta text-ink-2">
                      <VisibleText text={tChat("wait.fourEyesBody", { name: a.requester.displayName })} />
                    </p>
                  </Show>
                </div>
                <A href={`/approvals/${a.id}`} class={`btn ${a.decidable ? "btn-primary" : ""}`}>
                  {!a.decidable
                    ? tChat("wait.view")
                    : a.responseLabel === null
                      ? tChat("wait.decide")
                      : tChat("wait.respond")}
                </A>
              </div>
            )}
          </For>
          <p class="mt-2 text-meta text-ink-2">{tChat(state() === "waiting_input" ? "wait.inputBody" : "wait.body")}</p>
        </section>
      )}
    </Show>
  );
};
