import type { WorkspaceSummary } from "@aiw/contract/views";
import { tWorkspaces } from "../i18n/workspaces.ts";

type Counts = WorkspaceSummary["sources"];
const look = (s: Counts): { readonly dot: string; readonly text: string } => {
  if (s.total === 0) return { dot: "bg-transparent border border-line-strong", text: tWorkspaces("health.none") };
  if (s.failed > 0) return { dot: "bg-neg", text: tWorkspaces("health.failed", s.failed) };
  if (s.tested < s.total) return { dot: "bg-warn", text: tWorkspaces("health.untested", s.total - s.tested) };
  return { dot: "bg-pos", text: tWorkspaces("health.ok", s.total) };
};

/** Connection state of a workspace's sources: a dot and the word for it. */
export const SourceHealth = (props: { readonly sources: Counts }) => (
  <span class="inline-flex items-center gap-1.5">
    <span aria-hidden="true" class={`size-2 rounded-full ${look(props.sources).dot}`} />
    {look(props.sources).text}
  </span>
);
