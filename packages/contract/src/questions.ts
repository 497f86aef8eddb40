import { z } from "zod";
import { id, instant } from "./ids.ts";
import { saysSomething } from "./text.ts";

/** The id of the tool with which the agent asks the person it works for (RUN-16). */
export const ASK_USER = "user.ask_user";

const by = z.object({ id, name: z.string(), displayName: z.string() });

/** A question of the agent to the person who started its run, or to any member (RUN-16, RUN-22). */
export const question = z.object({
  id,
  runId: id,
  toolCallId: id,
  text: z.string(),
  /** Any member may answer, not only who started the run. */
  anyone: z.boolean(),
  status: z.enum(["open", "answered", "cancelled"]),
  answeredBy: by.nullable(),
  answeredAt: instant.nullable(),
  /** Whether the reader may answer it now. */
  mayAnswer: z.boolean(),
});
export type Question = z.infer<typeof question>;

/** Endpoint about questions; part of the table in `api.ts`. */
export const QUESTION_ENDPOINTS = {
  answerQuestion: {
    method: "POST",
    path: "/api/runs/:runId/questions/:questionId/answer",
    access: "session",
    status: 200,
    params: z.object({ runId: id, questionId: id }),
    body: z.strictObject({
      text: z
        .string()
        .min(1)
        .max(32_000)
        .refine(saysSomething, "blank")
        .refine((s) => !s.includes("\u0000") && s.isWellFormed(), "bad_text"),
    }),
    response: question,
    summary: "Answer a question of the agent; its run goes on (409 when it was answered or its run ended)",
  },
} as const;
