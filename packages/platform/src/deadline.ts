/**
 * A signal that aborts `ms` milliseconds from now with a `TimeoutError`, or as soon as one of `parents` does, with its
 * reason. The one way to bound work in time: `AbortSignal.any` over `AbortSignal.timeout` holds the signal of the time only
 * weakly, so that, while nobody listens, a garbage collection after the time makes it "not aborted" again (Node 24), and a
 * worker that stood still acts after its time (F20).
 */
export const deadline = (ms: number, ...parents: readonly AbortSignal[]): AbortSignal => {
  const controller = new AbortController();
  const end = (reason: unknown): void => {
    clearTimeout(timer);
    for (const parent of parents) parent.removeEventListener("abort", follow);
    controller.abort(reason);
  };
  const follow = (): void => end(parents.find((parent) => parent.aborted)?.reason);
  const timer = setTimeout(() => end(new DOMException("The time limit was reached.", "TimeoutError")), ms);
  timer.unref();
  for (const parent of parents) parent.addEventListener("abort", follow);
  if (parents.some((parent) => parent.aborted)) follow();
  return controller.signal;
};
