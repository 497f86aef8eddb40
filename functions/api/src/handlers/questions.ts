import type { QUESTION_ENDPOINTS } from "@aiw/contract/questions";
import * as questions from "@aiw/core/questions";
import * as workspaces from "@aiw/core/workspaces";
import type { Handlers } from "../http/call.ts";
import { goOn } from "./go-on.ts";

export const questionHandlers: Pick<Handlers, keyof typeof QUESTION_ENDPOINTS> = {
  answerQuestion: async ({ ctx, params, body, deps }) => {
    const scope = await workspaces.scopeOf(ctx);
    const { question, teamId, ring } = await questions.answer(ctx, scope, { ...params, text: body.text }, deps.vault);
    await goOn(deps, { teamId, runIds: ring ? [params.runId] : [] }, [params.runId]);
    return question;
  },
};
