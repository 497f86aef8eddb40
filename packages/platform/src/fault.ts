import { z } from "zod";

const ruleSchema = z.strictObject({
  at: z.string().min(1),
  nth: z.int().min(1).default(1),
  act: z.enum(["throw", "exit", "hang", "delay"]),
  ms: z.int().min(0).default(0),
});
const planSchema = z.strictObject({ rules: z.array(ruleSchema) });

/**
 * What shall go wrong: at the `nth` passing (from 1) of the point `at` ("name:before" or "name:after") the process
 * throws, dies as by SIGKILL, hangs until `wakeHung`, or waits `ms` milliseconds.
 */
export type FaultPlan = z.input<typeof planSchema>;

type Rule = z.output<typeof ruleSchema>;

/** Thrown by a rule with act "throw". */
export class FaultError extends Error {
  override readonly name = "FaultError";
  constructor(point: string) {
    super(`a planned fault at ${point}`);
  }
}

/** What it returns is waited for, so that a test can decide who goes on. */
type Listener = (point: string) => void | Promise<void>;
type State = { rules: readonly Rule[]; seen: Map<string, number>; listeners: Set<Listener> };

const state: State = { rules: planOfProcess(), seen: new Map(), listeners: new Set() };

/**
 * A named stop point around awaited work between two writes: without a plan it only runs `f`. Crash tests stop a step
 * here, restart it, and compare.
 */
export async function fp<T>(name: string, f: () => Promise<T>): Promise<T> {
  if (state.rules.length === 0 && state.listeners.size === 0) return f();
  await pass(`${name}:before`);
  const result = await f();
  await pass(`${name}:after`);
  return result;
}

/** Sets the plan of this process and starts counting anew; undefined ends it. */
export function setFaultPlan(plan: FaultPlan | undefined): void {
  state.rules = plan === undefined ? [] : planSchema.parse(plan).rules;
  state.seen.clear();
}

/** Tells `listener` each point passed ("name:before", "name:after"); returns the way to stop it. */
export function onPoint(listener: Listener): () => void {
  state.listeners.add(listener);
  return () => void state.listeners.delete(listener);
}

const hung = new Set<() => void>();

/** Lets go on what hangs, as a process does that was only stopped and wakes when others have taken over (F20). */
export function wakeHung(): void {
  for (const goOn of hung) goOn();
  hung.clear();
}

async function pass(point: string): Promise<void> {
  for (const listener of state.listeners) {
    const held = listener(point);
    if (held !== undefined) await held;
  }
  const count = (state.seen.get(point) ?? 0) + 1;
  state.seen.set(point, count);
  for (const rule of state.rules) {
    if (rule.at === point && rule.nth === count) await act(rule);
  }
}

async function act(rule: Rule): Promise<void> {
  switch (rule.act) {
    case "throw":
      throw new FaultError(rule.at);
    case "exit":
      process.kill(process.pid, "SIGKILL");
      // The signal arrives asynchronously; nothing after this point may run.
      return forever();
    case "hang":
      return new Promise((resolve) => void hung.add(resolve));
    case "delay":
      return new Promise((resolve) => setTimeout(resolve, rule.ms));
  }
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}

function planOfProcess(): readonly Rule[] {
  const json = process.env["AIW_FAULTS"];
  // Production refuses to start with a plan (N87); should anything load this module anyway, it stays without one.
  if (json === undefined || json === "" || process.env["AIW_ENV"] === "production") return [];
  return planSchema.parse(JSON.parse(json)).rules;
}
