import type { Human } from "@aiw/contract/actors";
import { Problem, type ProblemCode } from "@aiw/contract/problem";
import type { Question } from "@aiw/contract/questions";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import { hidingOf } from "../approvals/hide.ts";
import type { Opener } from "../approvals/sealed.ts";
import { ofRuns } from "./views.ts";

export interface Answered {
  readonly question: Question;
  readonly teamId: string;
  /** The run waited and is queued now: ring it after the commit. */
  readonly ring: boolean;
}

const REFUSALS: Readonly<Record<string, ProblemCode>> = {
  not_found: "not_found",
  forbidden: "forbidden",
  answered: "decided",
  cancelled: "cancelled",
};

/**
 * RUN-16, RUN-22: the starter of the run answers, or any member where the question says so. The text becomes the result of the
 * call and the run goes on. An answer is given once.
 * @throws Problem not_found | forbidden | decided | cancelled
 */
export const answer = async (
  ctx: Ctx<Human>,
  scope: readonly string[],
  input: { readonly runId: string; readonly questionId: string; readonly text: string },
  vault: Opener,
): Promise<Answered> =>
  fp("question.tx", () =>
    transaction(ctx.db, { workspaces: scope, userId: ctx.actor.userId }, async (tx) => {
      // APR-10: what is stored of an answer keeps no sensitive answer of the chat, as its result keeps none.
      const hide = await hidingOf(tx, vault, input.runId);
      const [row] = await tx<{ outcome: string; team_id: string | null; ring: boolean }[]>`
        select outcome, team_id, ring from question_answer_v1(${input.runId}::uuid, ${input.questionId}::uuid, ${ctx.actor.userId}::uuid, ${hide(input.text)})`;
      if (row?.outcome !== "done") throw new Problem(REFUSALS[row?.outcome ?? ""] ?? "not_found");
      const all = await ofRuns(tx, ctx.actor.userId, [input.runId]);
      const question = all.find((one) => one.id === input.questionId);
      if (question === undefined) throw new Problem("not_found");
      return { question, teamId: row.team_id ?? "", ring: row.ring };
    }),
  );
