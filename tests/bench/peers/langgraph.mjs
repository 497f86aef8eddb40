import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";

/**
 * An agent of LangGraph with its Postgres checkpointer, durable at each superstep (`durability: "sync"`): a node that stands
 * for an instant model, and one that runs its tool, in turn.
 *
 * @param {{ url: string, args: string, result: string }} options the database, and the texts of a call and of its result
 */
export const openLangGraph = async ({ url, args, result }) => {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on("error", () => undefined);
  const saver = new PostgresSaver(pool);
  await saver.setup();
  let onTool = () => undefined;

  const graph = (turns, asksAt) => {
    const called = (messages) => messages.filter((message) => message.getType() === "tool").length;
    const agent = ({ messages }) => {
      const n = called(messages);
      if (n >= turns) return { messages: [new AIMessage("Done.")] };
      const call = { id: `call_${n}`, name: "bench_read", args: JSON.parse(args), type: "tool_call" };
      return { messages: [new AIMessage({ content: "", tool_calls: [call] })] };
    };
    const tool = ({ messages }) => {
      const last = messages.at(-1);
      const n = called(messages);
      if (n === asksAt) {
        interrupt({ ask: n });
        onTool();
      }
      return {
        messages: [new ToolMessage({ content: result, tool_call_id: last.tool_calls[0].id, name: "bench_read" })],
      };
    };
    return new StateGraph(MessagesAnnotation)
      .addNode("agent", agent)
      .addNode("tool", tool)
      .addEdge(START, "agent")
      .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? "tool" : END))
      .addEdge("tool", "agent")
      .compile({ checkpointer: saver });
  };
  const config = (turns) => ({
    configurable: { thread_id: randomUUID() },
    recursionLimit: turns * 2 + 10,
    durability: "sync",
  });

  return {
    /** Milliseconds of a run of so many calls, from its question to its answer. */
    run: async (turns) => {
      const app = graph(turns, -1);
      const started = performance.now();
      const { messages } = await app.invoke({ messages: [new HumanMessage("go")] }, config(turns));
      const elapsed = performance.now() - started;
      if (messages.length !== turns * 2 + 2) throw new Error(`LangGraph ended with ${messages.length} messages`);
      return elapsed;
    },
    /** Milliseconds from the decision to the start of the approved call, which is the last of so many. */
    resume: async (turns) => {
      const app = graph(turns, turns - 1);
      const at = config(turns);
      await app.invoke({ messages: [new HumanMessage("go")] }, at);
      let reached = Number.NaN;
      onTool = () => void (reached = performance.now());
      const decided = performance.now();
      await app.invoke(new Command({ resume: true }), at);
      return reached - decided;
    },
    close: () => pool.end(),
  };
};
