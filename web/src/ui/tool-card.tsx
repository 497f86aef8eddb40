import type { ToolCall } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import ChevronRight from "lucide-solid/icons/chevron-right";
import Wrench from "lucide-solid/icons/wrench";
import { createMemo, createSignal, createUniqueId, Show } from "solid-js";
import { tChat } from "../i18n/chat.ts";
import { bytes, duration } from "../i18n/index.ts";
import { JsonText } from "./json-tree.tsx";
import { QueryResultTable } from "./query-result.tsx";
import { readQueryResult } from "./query-result-model.ts";
import { RiskBadge } from "./risk-badge.tsx";
import { CallBadge } from "./state-badge.tsx";
import { ASK_USER, asksPerson, targetOf } from "./tool-target.ts";
import { VisibleText } from "./visible-text-view.tsx";

const RESULT_LINES = 30;

const Result = (props: { readonly call: ToolCall }) => {
  const [all, setAll] = createSignal(false);
  const lines = createMemo(() => (props.call.result ?? "").split("\n"));
  const more = (): number => (all() ? 0 : Math.max(0, lines().length - RESULT_LINES));
  const shown = (): string => (more() === 0 ? lines() : lines().slice(0, RESULT_LINES)).join("\n");
  const cut = (): boolean => isCut(props.call);
  return (
    <Show when={props.call.result !== null} fallback={<p class="text-ink-2">{tChat("tool.noResult")}</p>}>
      <pre
        class="max-h-[26rem] overflow-auto rounded-control border border-line bg-sunken px-2.5 py-1.5 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]"
        tabindex="0"
        role="group"
        aria-label={tChat("tool.result")}
      >
        <VisibleText text={shown()} marks="hidden" />
      </pre>
      <Show when={more() > 0}>
        <button type="button" class="btn btn-quiet btn-sm mt-1" onClick={() => setAll(true)}>
          {tChat("tool.moreLines", more())}
        </button>
      </Show>
      <Show when={cut()}>
        <p class="mt-1 text-meta text-ink-2">{tChat("tool.cut", { size: bytes(props.call.resultBytes) })}</p>
      </Show>
    </Show>
  );
};

const isCut = (call: ToolCall): boolean => call.resultBytes > new TextEncoder().encode(call.result ?? "").length;

const Body = (props: {
  readonly call: ToolCall;
  readonly runHref: string;
  /** Its result stands above as a table. */
  readonly asTable: boolean;
}) => (
  <div class="flex flex-col gap-3 border-t border-line px-3 py-3">
    <div>
      <p class="label mb-1">{tChat("tool.args")}</p>
      <Show
        when={props.call.args.trim() !== "" && props.call.args.trim() !== "{}"}
        fallback={<p class="text-ink-2">{tChat("tool.noArgs")}</p>}
      >
        <JsonText text={props.call.args} />
      </Show>
    </div>
    <Show when={!props.asTable}>
      <div>
        <p class="label mb-1">{tChat("tool.result")}</p>
        <Result call={props.call} />
      </div>
    </Show>
    <p class="flex flex-wrap gap-x-4 gap-y-1 text-meta text-ink-2">
      <Show when={props.call.sourceName}>
        {(name) => (
          <span>
            <VisibleText text={`${tChat("tool.source")}: ${name()}`} />
          </span>
        )}
      </Show>
      <A href={props.runHref} class="link">
        {tChat("tool.step", { n: props.call.step })}
      </A>
    </p>
  </div>
);

/** A real tool call: what, on what, how risky, how it went; opened, its arguments and its result (CHT-2). */
export const ToolCard = (props: { readonly call: ToolCall; readonly workspaceId: string }) => {
  const [open, setOpen] = createSignal(false);
  const bodyId = createUniqueId();
  const target = createMemo(() => targetOf(props.call.args));
  /** What was only submitted took no time of its own. */
  const took = (): { readonly ms: number } | undefined =>
    props.call.durationMs === null || props.call.status === "submitted" ? undefined : { ms: props.call.durationMs };
  const table = createMemo(() =>
    props.call.tool === "uploads.query" && props.call.status === "executed"
      ? readQueryResult(props.call.result ?? "")
      : null,
  );
  const bad = (): boolean => props.call.status === "failed" || props.call.status === "unknown";
  return (
    <article
      class={`panel overflow-hidden ${bad() ? "border-neg" : ""}`}
      aria-label={tChat("tool.card", { tool: props.call.tool })}
    >
      <div class="flex flex-wrap items-center gap-x-2 pr-3">
        <button
          type="button"
          class="flex min-h-10 min-w-0 flex-1 basis-64 items-center gap-2 py-1.5 pl-3 text-left"
          aria-expanded={open()}
          aria-controls={bodyId}
          onClick={() => setOpen(!open())}
        >
          <ChevronRight size={14} class={`shrink-0 text-ink-2 ${open() ? "rotate-90" : ""}`} aria-hidden="true" />
          <Wrench size={14} class="shrink-0 text-ink-2" aria-hidden="true" />
          <Show
            when={props.call.tool === ASK_USER && target() !== ""}
            fallback={
              <>
                <span class="font-mono text-meta font-medium whitespace-nowrap">
                  <VisibleText text={props.call.tool} />
                </span>
                <span class="min-w-0 truncate font-mono text-meta text-ink-2">
                  <VisibleText text={target()} />
                </span>
              </>
            }
          >
            <span class="text-meta font-medium whitespace-nowrap">{tChat("question.title")}:</span>
            <span class="min-w-0 truncate text-meta">
              <VisibleText text={target()} />
            </span>
          </Show>
        </button>
        <span class="ml-auto flex flex-wrap items-center justify-end gap-1.5 py-1 pl-3">
          <Show when={took()}>{(d) => <span class="num text-meta text-ink-2">{duration(d().ms)}</span>}</Show>
          <Show when={props.call.riskClass !== "read"}>
            <RiskBadge risk={props.call.riskClass} />
          </Show>
          <CallBadge status={props.call.status} asksForInput={asksPerson(props.call.tool)} />
          <Show when={props.call.approvalId}>
            {(id) => (
              <A href={`/approvals/${id()}`} class="link text-meta">
                {tChat("tool.request")}
              </A>
            )}
          </Show>
        </span>
      </div>
      <Show when={table()}>
        {(result) => (
          <QueryResultTable
            result={result()}
            partial={isCut(props.call) || (props.call.result ?? "").includes("\n[Cut:")}
          />
        )}
      </Show>
      <div id={bodyId}>
        <Show when={open()}>
          <Body
            call={props.call}
            asTable={table() !== null}
            runHref={`/w/${props.workspaceId}/runs/${props.call.runId}?step=${props.call.step}`}
          />
        </Show>
      </div>
    </article>
  );
};
