import { parseArgs } from "node:util";
import { measureBeside, measureEngineCost } from "./engine-cost.ts";
import { measureFirstDelta, measureStart } from "./first-delta.ts";
import { measureLoad } from "./load.ts";
import { measureParallel } from "./parallel.ts";
import { measureResume } from "./resume.ts";
import { measureSse } from "./sse.ts";
import { loadInWords } from "./load-words.ts";
import { measureStreams, streamsInWords } from "./streams.ts";
import { countSteps, inWords } from "./step-count.ts";

/** One measurement: its results by name, each with a line for people. */
type Measure = () => Promise<readonly (readonly [name: string, result: unknown, line: string])[]>;

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
const times = (value: number): string => `${value.toFixed(2)}x`;

const MEASURES: Readonly<Record<string, Measure>> = {
  /** What steps cost the database, counted and not timed. */
  counts: async () =>
    Object.entries(await countSteps()).map(([what, count]) => [
      `count_${what}`,
      count,
      `a step, ${what}: ${inWords(count)}`,
    ]),

  /** Engine beside the hand-written floor, 11, 51 and 201 steps. */
  engine: async () => {
    const results: [string, unknown, string][] = [];
    for (const turns of [5, 25, 100]) {
      const cost = await measureEngineCost(turns, 7);
      const steps = turns * 2 + 1;
      results.push([
        `engine_${steps}`,
        cost,
        `a step, claim to commit, in a run of ${steps}: ${ms(cost.engineMs)}, floor ${ms(cost.floorMs)} = ${times(cost.ratio)}; all by one message ${ms(cost.goingOnMs)} = ${times(cost.goingOnRatio)}`,
      ]);
    }
    return results;
  },

  /** Engine beside what a team would take instead, runs of 10, 50 and 200 calls. */
  peers: async () => {
    const results: [string, unknown, string][] = [];
    for (const [turns, rounds] of [
      [10, 7],
      [50, 5],
      [200, 3],
    ] as const) {
      const beside = await measureBeside(turns, rounds);
      results.push([
        `peers_${turns}`,
        beside,
        `a turn with its call, in a run of ${turns}: ${ms(beside.engineMs)}; LangGraph ${ms(beside.langgraphMs)} (${times(beside.langgraphRatio)}), DBOS ${ms(beside.dbosMs)} (${times(beside.dbosRatio)})`,
      ]);
    }
    return results;
  },

  /** From a decision to the call that it allows. */
  resume: async () => {
    const results: [string, unknown, string][] = [];
    for (const turns of [5, 50]) {
      const resume = await measureResume(turns, 7);
      results.push([
        `resume_${turns}`,
        resume,
        `decision to call with ${turns} calls of history, queue included: ${ms(resume.engineMs)}, floor ${ms(resume.floorMs)} = ${times(resume.ratio)}; in process and without a queue LangGraph ${ms(resume.langgraphMs)}, DBOS ${ms(resume.dbosMs)}`,
      ]);
    }
    return results;
  },

  /** Runs at the same time in one process. */
  parallel: async () => {
    const parallel = await measureParallel(3);
    const line = Object.entries(parallel.at)
      .map(
        ([width, { stepsPerS, runsPerS }]) =>
          `${width} at a time ${stepsPerS.toFixed(0)} steps/s (${runsPerS.toFixed(1)} runs/s)`,
      )
      .join(", ");
    return [["parallel", parallel, `${line}; 32 beside 1: ${times(parallel.ratio)}`]];
  },

  /** The stream hub beside a raw one. */
  sse: async () => {
    const results: [string, unknown, string][] = [];
    for (const clients of [1, 100, 1000]) {
      const cost = await measureSse(clients, 5);
      results.push([
        `sse_${clients}`,
        cost,
        `an event to the last of ${clients} streams: ${ms(cost.hubMs)}, raw hub ${ms(cost.rawMs)} = ${times(cost.ratio)}; ${cost.roundTripsPerEvent.toFixed(1)} round trips`,
      ]);
    }
    return results;
  },

  /** G14 and G15: the whole stack under load for five minutes. */
  load: async () => {
    const load = await measureLoad({ seconds: 300, waiting: 10_000, queued: 2_000 });
    return [["load", load, loadInWords(load)]];
  },

  /** G13: a thousand streams on three processes, each killed once, 200,000 deliveries. */
  streams: async () => {
    const streams = await measureStreams(1_000, 200, 1_000);
    return [["streams", streams, streamsInWords(streams)]];
  },

  /** The whole stack: its start, and the way from a message to the first text of its answer. */
  stack: async () => {
    const start = await measureStart(3);
    const delta = await measureFirstDelta(60);
    return [
      [
        "start_s",
        start,
        `start of the local stack, dependencies installed: ${start.medianS.toFixed(1)} s (median of ${start.starts}; the first one, which makes the data, ${start.firstS.toFixed(1)} s)`,
      ],
      [
        "first_delta_ms",
        delta,
        `accepted message to first text on the stream, instant model: p50 ${ms(delta.p50Ms)}, p95 ${ms(delta.p95Ms)} (${delta.samples} samples)`,
      ],
    ];
  },
};

/**
 * `npm run bench [-- --json] [--only engine,sse]`: counts, and times as medians of paired rounds in one process, each side in
 * turn (A B A B). What is compared with is installed when it is first needed.
 */
const main = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean" }, only: { type: "string" } } });
  const only = values.only?.split(",") ?? Object.keys(MEASURES);
  const unknown = only.filter((name) => !Object.hasOwn(MEASURES, name));
  if (unknown.length > 0) {
    console.error(`There is no measurement ${unknown.join(", ")}; there are ${Object.keys(MEASURES).join(", ")}.`);
    return 2;
  }
  const results: Record<string, unknown> = {};
  for (const name of only) {
    for (const [key, result, line] of (await MEASURES[name]?.()) ?? []) {
      results[key] = result;
      if (values.json !== true) console.log(line);
    }
  }
  if (values.json === true) console.log(JSON.stringify(results, null, 2));
  return 0;
};

process.exitCode = await main(process.argv.slice(2));
