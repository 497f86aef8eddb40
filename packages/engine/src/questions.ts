import { randomUUIDv7 } from "node:crypto";
import type { LoadedCall, LoadedRun } from "@aiw/core/runs";
import type { Draft } from "./draft.ts";
import { audited } from "./settled.ts";

/** RUN-16: the agent asks the person it works for. The run waits; nothing is approved, and nothing changes. */
export const askUser = (call: LoadedCall): Partial<Draft> => {
  const args = JSON.parse(call.args) as { readonly question: string; readonly anyone?: boolean };
  const id = randomUUIDv7();
  const anyone = args.anyone ?? false;
  return {
    questions: [{ id, toolCallId: call.id, text: args.question, anyone }],
    updates: [{ id: call.id, status: "waiting", riskClass: "read" }],
    events: [
      {
        type: "question.asked",
        data: { callId: call.callId, toolCallId: call.id, questionId: id, text: args.question, anyone },
      },
    ],
    audit: [audited(call, "question.asked", { question: id, anyone })],
  };
};

/** The person's words become the result. They are a member's, not the platform's and not a tool's. */
export const takeAnswer = (call: LoadedCall, loaded: LoadedRun): Partial<Draft> => {
  const question = loaded.questions.find((q) => q.toolCallId === call.id);
  if (question?.status !== "answered" || question.answer === null) return {};
  return {
    settled: [
      {
        call,
        status: "executed",
        text: question.answer,
        durationMs: null,
        untrusted: false,
        sourceName: null,
        update: { riskClass: "read" },
        audit: audited(call, "tool.executed", { question: question.id }),
      },
    ],
  };
};
