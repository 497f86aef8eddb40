import type { Source, WorkspaceDetail } from "@aiw/contract/views";
import { A } from "@solidjs/router";
import Check from "lucide-solid/icons/check";
import { For, Show } from "solid-js";
import { tWorkspaces } from "../i18n/workspaces.ts";
import { VisibleText } from "./visible-text-view.tsx";

interface Step {
  readonly title: string;
  readonly body: string;
  readonly done: boolean;
  readonly warn?: string | undefined;
  readonly action?: { readonly href: string; readonly label: string } | undefined;
  /** Who does it when the reader may not. */
  readonly others?: string | undefined;
}

interface RailProps {
  readonly workspace: WorkspaceDetail;
  readonly sources: readonly Source[];
  readonly hasChats: boolean;
  readonly isPlatformAdmin: boolean;
}

const stepsOf = (p: RailProps): readonly Step[] => {
  const base = `/w/${p.workspace.id}`;
  const admin = p.workspace.role === "admin";
  const admins = p.workspace.members
    .filter((m) => m.role === "admin")
    .map((m) => m.displayName)
    .join(", ");
  const needAdmin = admin ? undefined : tWorkspaces("overview.needAdmin", { names: admins });
  const untested = p.sources.find((s) => s.status !== "tested");
  return [
    {
      title: tWorkspaces("overview.source"),
      body: tWorkspaces("overview.sourceBody"),
      done: p.workspace.sources.total > 0,
      action: admin ? { href: `${base}/sources/new`, label: tWorkspaces("overview.sourceDo") } : undefined,
      others: needAdmin,
    },
    {
      title: tWorkspaces("overview.test"),
      body: tWorkspaces("overview.testBody"),
      done: p.workspace.chatOpen,
      warn: untested?.status === "failed" ? tWorkspaces("overview.testFailed") : undefined,
      action: admin
        ? {
            href: untested === undefined ? `${base}/sources` : `${base}/sources/${untested.id}`,
            label: tWorkspaces("overview.testDo"),
          }
        : undefined,
      others: needAdmin,
    },
    {
      title: tWorkspaces("overview.tools"),
      body: tWorkspaces("overview.toolsBody"),
      done: p.workspace.toolsReady,
      action: p.isPlatformAdmin
        ? { href: "/admin/tools", label: tWorkspaces("overview.toolsDo") }
        : { href: `${base}/settings`, label: tWorkspaces("overview.toolsSee") },
    },
    {
      title: tWorkspaces("overview.chat"),
      body: tWorkspaces("overview.chatBody"),
      done: p.hasChats,
      action: { href: `${base}/chats`, label: tWorkspaces("overview.chatDo") },
    },
  ];
};

type Place = "done" | "now" | "later";
const MARK: Record<Place, string> = {
  done: "border-pos bg-pos-bg text-pos",
  now: "border-accent bg-accent text-on-accent",
  later: "border-line-strong text-ink-2",
};

/** The way from an empty workspace to a working chat: four steps, each with its state and one action. */
export const OnboardingRail = (props: RailProps) => {
  const steps = () => stepsOf(props);
  const current = () => steps().findIndex((s) => !s.done);
  const place = (index: number): Place =>
    steps()[index]?.done === true ? "done" : index === current() ? "now" : "later";
  return (
    <ol class="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-4">
      <For each={[0, 1, 2, 3]}>
        {(index) => (
          <Show when={steps()[index]}>
            {(step) => (
              <li
                class={`panel flex flex-col gap-1.5 p-4 ${place(index) === "now" ? "border-accent" : ""}`}
                aria-current={place(index) === "now" ? "step" : undefined}
              >
                <div class="flex items-center gap-2 text-meta text-ink-2">
                  <span
                    aria-hidden="true"
                    class={`inline-flex size-6 items-center justify-center rounded-full border font-semibold ${MARK[place(index)]}`}
                  >
                    <Show when={step().done} fallback={index + 1}>
                      <Check size={14} />
                    </Show>
                  </span>
                  <span>
                    {tWorkspaces("overview.step", { n: index + 1 })} · {tWorkspaces(`overview.${place(index)}`)}
                  </span>
                </div>
                <h3 class="font-semibold">{step().title}</h3>
                <p class="text-ink-2">{step().body}</p>
                <Show when={!step().done && step().warn}>{(warn) => <p class="text-neg">{warn()}</p>}</Show>
                <Show when={!step().done && step().action === undefined && step().others}>
                  {(others) => (
                    <p class="text-meta text-ink-2">
                      <VisibleText text={others()} />
                    </p>
                  )}
                </Show>
                <Show when={!step().done && step().action}>
                  {(action) => (
                    <A
                      href={action().href}
                      class={`btn mt-auto self-start ${place(index) === "now" ? "btn-primary" : ""}`}
                    >
                      {action().label}
                    </A>
                  )}
                </Show>
              </li>
            )}
          </Show>
        )}
      </For>
    </ol>
  );
};
