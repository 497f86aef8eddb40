import { createSignal, onCleanup } from "solid-js";

/**
 * Time as the server has it. Deadlines come from the database; a device whose clock is wrong must not
 * show a request as open that has expired. The offset is taken from the Date header of each answer.
 */
let offsetMs = 0;

/** Learn the offset from an answer; the header counts whole seconds, so small differences are ignored. */
export const learnServerTime = (dateHeader: string | null, now: number = Date.now()): void => {
  if (dateHeader === null) return;
  const at = Date.parse(dateHeader);
  if (Number.isNaN(at)) return;
  const offset = at - now;
  offsetMs = Math.abs(offset) < 2000 ? 0 : offset;
};

/** Milliseconds since 1970 by the server's clock. */
export const serverNow = (): number => Date.now() + offsetMs;

const [tick, setTick] = createSignal(serverNow());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The server's time as a signal that moves once a second while a component that uses it is mounted. */
export const useNow = (): (() => number) => {
  // Nobody watches a clock that stands still: setting it here moves nothing on the screen.
  if (watchers === 0) setTick(serverNow());
  watchers += 1;
  timer ??= setInterval(() => setTick(serverNow()), 1000);
  onCleanup(() => {
    watchers -= 1;
    if (watchers > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  return tick;
};
