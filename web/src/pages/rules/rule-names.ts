import { useQuery } from "@tanstack/solid-query";
import type { Accessor } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";

interface Named {
  readonly id: string;
}

/** The tools rules can name: those of the workspace, or all the platform knows. Empty until they are there. */
export const useRuleTools = (workspaceId: Accessor<string | null>): Accessor<readonly Named[]> => {
  const own = useQuery(() => ({
    queryKey: keys.tools(workspaceId() ?? ""),
    queryFn: () => call("listWorkspaceTools", { params: { workspaceId: workspaceId() ?? "" } }),
    enabled: workspaceId() !== null,
  }));
  const all = useQuery(() => ({
    queryKey: keys.adminTools,
    queryFn: () => call("listTools"),
    enabled: workspaceId() === null,
  }));
  return () => {
    const query = workspaceId() === null ? all : own;
    return query.isPending || query.isError ? [] : (query.data?.items ?? []);
  };
};

/** The sources a rule of a workspace can be for. */
export const useRuleSources = (
  workspaceId: Accessor<string | null>,
): Accessor<readonly (Named & { readonly name: string })[]> => {
  const query = useQuery(() => ({
    queryKey: keys.sources(workspaceId() ?? ""),
    queryFn: () => call("listSources", { params: { workspaceId: workspaceId() ?? "" } }),
    enabled: workspaceId() !== null,
  }));
  return () => (query.isPending || query.isError ? [] : (query.data?.items ?? []));
};
