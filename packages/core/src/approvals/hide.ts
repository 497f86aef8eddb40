import type { Member } from "@aiw/contract/actors";
import type { Ctx } from "@aiw/platform/ctx";
import type { Tx } from "@aiw/platform/db";
import { redactor } from "@aiw/policy/redact";
import { inWorkspace } from "../identity/scope.ts";
import { responseContext, type Opener } from "./sealed.ts";

/**
 * APR-10: what hides the sensitive answers of a run's chat in a text that a person writes about it. Reads in the caller's
 * transaction, whose scope holds the run. `given`: an answer that is being given at this moment.
 */
export const hiding = async (
  tx: Tx,
  vault: Opener,
  runId: string,
  given: readonly string[] = [],
): Promise<(text: string) => string> => {
  const sealed = await tx<Sealed[]>`
    select a.id, a.response from runs r left join runs p on p.id = r.parent_run_id
      join approvals a on a.workspace_id = r.workspace_id and (a.run_id = r.id or a.chat_id = coalesce(r.chat_id, p.chat_id))
     where r.id = ${runId} and a.sensitive and a.response is not null`;
  return hidden(vault, sealed, given);
};

/** APR-10: a text that a member says in a chat, its message or its title, without the sensitive answers of the chat. */
export const withoutAnswers = async (
  ctx: Ctx<Member>,
  chatId: string,
  text: string,
  vault: Opener,
): Promise<string> => {
  const sealed = await inWorkspace(
    ctx,
    (tx) => tx<Sealed[]>`
      select id, response from approvals where workspace_id = ${ctx.actor.workspaceId} and chat_id = ${chatId} and sensitive and response is not null`,
  );
  return (await hidden(vault, sealed))(text);
};

interface Sealed {
  readonly id: string;
  readonly response: string;
}

const hidden = async (
  vault: Opener,
  sealed: readonly Sealed[],
  given: readonly string[] = [],
): Promise<(text: string) => string> => {
  const opened = await Promise.all(sealed.map(({ id, response }) => vault.open(response, responseContext(id))));
  // Who repeats an answer seldom repeats the spaces around it.
  return redactor([...opened, ...given].flatMap((answer) => [answer, answer.trim()])).text;
};
