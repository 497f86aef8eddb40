import { useQuery } from "@tanstack/solid-query";
import { createEffect, createSignal, on } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";

export interface SourceTest {
  readonly start: (sourceId: string) => Promise<void>;
  readonly running: () => boolean;
  readonly failure: () => unknown;
  /** The job itself did not come to an end; it says nothing about the source. */
  readonly broken: () => boolean;
}

const POLL_MS = 700;

/** Starts the connection test of a source (a job) and follows it; the result is on the source (SRC-2). */
export const createSourceTest = (workspaceId: () => string): SourceTest => {
  const [jobId, setJobId] = createSignal<string>();
  const [running, setRunning] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [broken, setBroken] = createSignal(false);
  const job = useQuery(() => ({
    queryKey: keys.job(workspaceId(), jobId() ?? ""),
    queryFn: () => call("getJob", { params: { workspaceId: workspaceId(), jobId: jobId() ?? "" } }),
    enabled: jobId() !== undefined,
    refetchInterval: (q: { state: { data: { status: string } | undefined } }) =>
      q.state.data?.status === "done" || q.state.data?.status === "failed" ? false : POLL_MS,
  }));
  const finish = async (): Promise<void> => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.sources(workspaceId()) }),
      queryClient.invalidateQueries({ queryKey: keys.workspace(workspaceId()) }),
      queryClient.invalidateQueries({ queryKey: keys.workspaces }),
    ]);
    setRunning(false);
  };
  const status = (): string | undefined =>
    jobId() === undefined || job.isPending || job.isError ? undefined : job.data?.status;
  createEffect(
    on(status, (now) => {
      if (!running() || (now !== "done" && now !== "failed")) return;
      setBroken(now === "failed");
      setJobId(undefined);
      void finish();
    }),
  );
  createEffect(
    on(
      () => jobId() !== undefined && job.isError,
      (failed) => {
        if (!failed) return;
        setFailure(job.error);
        setRunning(false);
      },
    ),
  );
  const start = async (sourceId: string): Promise<void> => {
    setRunning(true);
    setFailure(null);
    setBroken(false);
    try {
      const started = await call("testSource", { params: { workspaceId: workspaceId(), sourceId } });
      setJobId(started.id);
    } catch (error) {
      setFailure(error);
      setRunning(false);
    }
  };
  return { start, running, failure, broken };
};
