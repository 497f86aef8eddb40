import { useQuery } from "@tanstack/solid-query";
import { call } from "./client.ts";
import { keys } from "./keys.ts";

/** Models that can be chosen in a workspace, and what is chosen. */
export const useWorkspaceModels = (workspaceId: () => string) =>
  useQuery(() => ({
    queryKey: keys.wsModels(workspaceId()),
    queryFn: () => call("listWorkspaceModels", { params: { workspaceId: workspaceId() } }),
  }));
