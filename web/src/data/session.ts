import type { Me, PublicConfig } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { ApiProblem, call, onProblem } from "./client.ts";
import { keys } from "./keys.ts";
import { queryClient } from "./query.ts";

const fetchMe = async (): Promise<Me | null> => {
  try {
    return await call("me");
  } catch (error) {
    if (error instanceof ApiProblem && error.code === "not_signed_in") return null;
    throw error;
  }
};

/** Who is signed in; null for nobody. */
export const useMe = () => useQuery(() => ({ queryKey: keys.me, queryFn: fetchMe, staleTime: 60_000 }));

/** What may be known without a session (demo logins, version). */
export const useConfig = () =>
  useQuery<PublicConfig>(() => ({ queryKey: keys.config, queryFn: () => call("config"), staleTime: Infinity }));

/** Unit of costs and prices. */
export const useCurrency = (): (() => string) => {
  const config = useConfig();
  return () => (config.isPending || config.isError ? "USD" : (config.data?.currency ?? "USD"));
};

/** Signed in: start with an empty cache, so that nothing of another person is shown. */
export const enter = (me: Me): void => {
  queryClient.clear();
  queryClient.setQueryData(keys.me, me);
};

/** Signed out: forget everything. */
export const leave = (): void => {
  queryClient.clear();
  queryClient.setQueryData(keys.me, null);
};

/** Ask the server anew who is signed in; null for nobody. Throws when the server cannot be reached. */
export const checkSession = async (): Promise<Me | null> =>
  queryClient.fetchQuery({ queryKey: keys.me, queryFn: fetchMe, staleTime: 0 });

/**
 * When any call says that the session ended, the guard of the shell leads to the sign-in page; when one says that a right
 * is missing, what this page knows of rights is asked anew.
 */
export const watchSession = (): void => {
  onProblem((problem) => {
    if (problem.code === "not_signed_in") queryClient.setQueryData(keys.me, null);
    if (problem.code === "password_change_required" || problem.code === "forbidden")
      void queryClient.invalidateQueries({ queryKey: keys.me });
  });
};
