import { useLocation } from "@solidjs/router";
import { useQuery } from "@tanstack/solid-query";
import { createEffect, createMemo } from "solid-js";
import { call } from "./client.ts";
import { keys } from "./keys.ts";
import { readPref, writePref } from "./prefs.ts";

const UUID = /^\/w\/([0-9a-f-]{36})(?:\/|$)/i;

/** Id of the workspace in an address, if there is one. */
export const workspaceInPath = (path: string): string | undefined => UUID.exec(path)?.[1];

/**
 * The workspace of the address; on pages above workspaces the one visited last, if this person still has it, or the
 * only one there is.
 */
export const useActiveWorkspaceId = (): (() => string | undefined) => {
  const location = useLocation();
  const all = useWorkspaces();
  const inPath = createMemo(() => workspaceInPath(location.pathname));
  createEffect(() => {
    const id = inPath();
    if (id !== undefined) writePref("workspace", id);
  });
  return createMemo(() => {
    const given = inPath();
    if (given !== undefined) return given;
    const ids = all.isPending || all.isError ? [] : (all.data?.items.map((ws) => ws.id) ?? []);
    const last = readPref("workspace");
    return ids.find((id) => id === last) ?? (ids.length === 1 ? ids[0] : undefined);
  });
};

/** Own and shared workspaces. */
export const useWorkspaces = () =>
  useQuery(() => ({ queryKey: keys.workspaces, queryFn: () => call("listWorkspaces") }));

/** One workspace with members and what is ready. */
export const useWorkspace = (id: () => string | undefined) =>
  useQuery(() => ({
    queryKey: keys.workspace(id() ?? ""),
    queryFn: () => call("getWorkspace", { params: { workspaceId: id() ?? "" } }),
    enabled: id() !== undefined,
  }));

/** How many requests the reader can decide now. */
export const useOpenApprovals = () =>
  useQuery(() => ({
    queryKey: keys.approvals("badge", undefined),
    queryFn: () => call("listApprovals", { query: { filter: "open" } }),
  }));
