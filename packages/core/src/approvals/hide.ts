import type { Tx } from "@aiw/platform/db";
import { asRepeated, redactor } from "@aiw/policy/redact";
import { responseContext, type Opener } from "./sealed.ts";

/** What hides the sensitive answers of a chat in a text. */
type Hide = (text: string) => string;

/**
 * APR-10: for a text that a person writes about a run, like a reason or a comment. Reads in the caller's transaction, whose scope
 * holds the run. `given`: an answer that is being given at this moment.
 */
export const hidingOf = async (tx: Tx, vault: Opener, runId: string, given: readonly string[] = []): Promise<Hide> =>
  hiding(
    vault,
    await tx<Sealed[]>`
      select a.id, a.response from runs r left join runs p on p.id = r.parent_run_id
        join approvals a on a.workspace_id = r.workspace_id and (a.run_id = r.id or a.chat_id = coalesce(r.chat_id, p.chat_id))
       where r.id = ${runId} and a.sensitive and a.response is not null`,
    given,
  );

/** The same for what a member says in a chat: its messages and its title. */
export const hidingIn = async (tx: Tx, vault: Opener, chatId: string): Promise<Hide> =>
  hiding(
    vault,
    await tx<
      Sealed[]
    >`select id, response from approvals where chat_id = ${chatId} and sensitive and response is not null`,
  );

interface Sealed {
  readonly id: string;
  readonly response: string;
}

const hiding = async (vault: Opener, sealed: readonly Sealed[], given: readonly string[] = []): Promise<Hide> => {
  const opened = await Promise.all(sealed.map(({ id, response }) => vault.open(response, responseContext(id))));
  return redactor(asRepeated([...opened, ...given])).text;
};
