import { MutationCache, QueryClient } from "@tanstack/solid-query";
import { ApiProblem } from "./client.ts";

const retriable = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.code === "offline" || error.code === "unavailable");

/**
 * One cache for the tab. Reads that failed for want of a connection are tried again twice; answers with a code never.
 * Rows are matched by id, so that a refetch does not rebuild a list under the reader's cursor.
 */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache(),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && retriable(error),
      refetchOnWindowFocus: true,
      reconcile: "id",
    },
    mutations: { retry: false },
  },
});
