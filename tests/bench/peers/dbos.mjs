import { DBOS } from "@dbos-inc/dbos-sdk";

/** What the workflow calls in the middle of its work; set by whoever measures. */
const probe = { onTool: () => undefined };

/** A workflow is known by its name once for the whole process, so it stands here and its texts come as arguments. */
const agent = DBOS.registerWorkflow(
  async (turns, asksAt, { args, result }) => {
    const history = [];
    for (let n = 0; n < turns; n += 1) {
      const model = async () => ({ name: "bench_read", arguments: args });
      const tool = async () => {
        if (n === asksAt) probe.onTool();
        return result;
      };
      history.push(await DBOS.runStep(model, { name: "model" }));
      if (n === asksAt) await DBOS.recv("decision", 60);
      history.push(await DBOS.runStep(tool, { name: "tool" }));
    }
    return history.length;
  },
  { name: "agent" },
);

/**
 * The same work as a workflow of DBOS: each turn of the model and each call of a tool is a durable step.
 *
 * @param {{ url: string, args: string, result: string }} options an empty database, and the texts of a call and of its result
 */
export const openDbos = async ({ url, args, result }) => {
  const texts = { args, result };
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error", runAdminServer: false });
  await DBOS.launch();

  return {
    /** Milliseconds of a run of so many calls, from its start to its end. */
    run: async (turns) => {
      const started = performance.now();
      const handle = await DBOS.startWorkflow(agent)(turns, -1, texts);
      const length = await handle.getResult();
      const elapsed = performance.now() - started;
      if (length !== turns * 2) throw new Error(`DBOS ended with ${length} entries`);
      return elapsed;
    },
    /** Milliseconds from the decision to the start of the approved call, which is the last of so many. */
    resume: async (turns) => {
      const handle = await DBOS.startWorkflow(agent)(turns, turns - 1, texts);
      await waits(handle.workflowID, turns);
      let reached = Number.NaN;
      probe.onTool = () => void (reached = performance.now());
      const decided = performance.now();
      await DBOS.send(handle.workflowID, true, "decision");
      await handle.getResult();
      return reached - decided;
    },
    close: () => DBOS.shutdown(),
  };
};

/** Until the workflow has taken all its steps but the last and so waits for the decision. */
const waits = async (workflowId, turns) => {
  for (let look = 0; look < 2000; look += 1) {
    const steps = await DBOS.listWorkflowSteps(workflowId);
    if ((steps?.length ?? 0) >= turns * 2 - 1) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await new Promise((resolve) => setTimeout(resolve, 30));
};
