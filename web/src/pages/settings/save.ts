import type { RequestOf } from "@aiw/contract/api";
import type { WorkspaceDetail } from "@aiw/contract/views";
import { type Accessor, createSignal } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";

/** Puts the workspace the server answered with in place of the old one, everywhere it is shown. */
export const takeWorkspace = (ws: WorkspaceDetail): void => {
  queryClient.setQueryData(keys.workspace(ws.id), ws);
  void queryClient.invalidateQueries({ queryKey: keys.workspaces });
  void queryClient.invalidateQueries({ queryKey: keys.candidates(ws.id) });
};

export interface Action {
  readonly busy: Accessor<boolean>;
  readonly failure: Accessor<unknown>;
  /** Runs one thing at a time; answers whether it worked. */
  readonly run: (work: () => Promise<void>) => Promise<boolean>;
}

export const createAction = (): Action => {
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (busy()) return false;
    setBusy(true);
    setFailure(null);
    try {
      await work();
      return true;
    } catch (error) {
      setFailure(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, run };
};

/** Saves some settings of a workspace. */
export const saveWorkspace = async (workspaceId: string, body: RequestOf<"updateWorkspace">["body"]): Promise<void> => {
  takeWorkspace(await call("updateWorkspace", { params: { workspaceId }, body }));
  void queryClient.invalidateQueries({ queryKey: keys.tools(workspaceId) });
};
