import { ModelError } from "./turn.ts";

export interface WatchdogLimits {
  /** Milliseconds without any event. */
  readonly idleTimeoutMs: number;
  /** Milliseconds for the whole turn. */
  readonly turnTimeoutMs: number;
}

/**
 * Ends a turn that hangs. The SDK's own time limit covers only the response headers, and an aborted stream looks like one
 * that ended well, so the reason is kept here and asked for afterwards.
 */
export class Watchdog {
  readonly #controller = new AbortController();
  readonly #limits: WatchdogLimits;
  readonly #outer: AbortSignal;
  readonly #onAbort = () => this.#end("aborted");
  readonly #turn: NodeJS.Timeout;
  #idle: NodeJS.Timeout;
  #reason: "aborted" | "idle_timeout" | "turn_timeout" | null = null;

  constructor(outer: AbortSignal, limits: WatchdogLimits) {
    this.#limits = limits;
    this.#outer = outer;
    this.#turn = setTimeout(() => this.#end("turn_timeout"), limits.turnTimeoutMs);
    this.#idle = this.#startIdle();
    if (outer.aborted) this.#end("aborted");
    else outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something arrived: the silence starts anew. */
  touch(): void {
    clearTimeout(this.#idle);
    this.#idle = this.#startIdle();
  }

  /** The consumer is busy with what it got; its time is not the gateway's silence. */
  rest(): void {
    clearTimeout(this.#idle);
  }

  /** Why the turn was ended from here, or null when it was not. */
  verdict(partial: boolean): ModelError | null {
    switch (this.#reason) {
      case null:
        return null;
      case "aborted":
        return new ModelError({ kind: "aborted", code: "aborted", message: "The model call was stopped.", partial });
      case "idle_timeout":
        return new ModelError({
          kind: "retry",
          code: "idle_timeout",
          message: `The model gateway was silent for ${this.#limits.idleTimeoutMs} ms.`,
          partial,
        });
      case "turn_timeout":
        return new ModelError({
          kind: "retry",
          code: "turn_timeout",
          message: `The model did not finish within ${this.#limits.turnTimeoutMs} ms.`,
          partial,
        });
    }
  }

  /** Ends the timers and, if it is still open, the connection. */
  stop(): void {
    clearTimeout(this.#turn);
    clearTimeout(this.#idle);
    this.#outer.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  #startIdle(): NodeJS.Timeout {
    return setTimeout(() => this.#end("idle_timeout"), this.#limits.idleTimeoutMs);
  }

  #end(reason: "aborted" | "idle_timeout" | "turn_timeout"): void {
    if (this.#reason || this.#controller.signal.aborted) return;
    this.#reason = reason;
    this.#controller.abort();
  }
}
