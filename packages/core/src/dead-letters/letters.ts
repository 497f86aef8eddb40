import type { Human } from "@aiw/contract/actors";
import { deadLetterQueue, type DeadLetter, type DeadLetterQueue, type DeadLetterReason } from "@aiw/contract/operation";
import { Problem } from "@aiw/contract/problem";
import { jobMessage, stepMessage } from "@aiw/contract/runs";
import type { Ctx } from "@aiw/platform/ctx";
import { transaction } from "@aiw/platform/db";
import type { DeadLetters } from "@aiw/platform/dead-letters";
import { redactText } from "@aiw/platform/redact";
import * as audit from "../audit/write.ts";
import { requirePlatformAdmin } from "../identity/actors.ts";

export type DeadLetterQueues = Readonly<Record<DeadLetterQueue, Pick<DeadLetters, "list" | "settle">>>;

/** Letters of one queue that are shown; the rest comes when these are gone. */
const SHOWN = 100;
/** Characters of a body that are shown. Ours are far shorter. */
const BODY_CHARS = 500;

/** What lies with the dead letters, oldest first, for platform admins (RUN-20, ADM-1). Looking changes nothing. @throws Problem forbidden */
export const list = async (
  ctx: Ctx<Human>,
  queues: DeadLetterQueues,
): Promise<{ items: DeadLetter[]; more: boolean }> => {
  await requirePlatformAdmin(ctx);
  const found = await Promise.all(
    deadLetterQueue.options.map(async (queue) => ({ queue, letters: await queues[queue].list(SHOWN) })),
  );
  const items = found.flatMap(({ queue, letters }) =>
    letters.map((letter) => ({
      queue,
      id: letter.id,
      reason: reasonOf(queue, letter.body),
      body: redactText(letter.body).slice(0, BODY_CHARS),
      bodyChars: letter.body.length,
      sentAt: new Date(letter.sentAtMs).toISOString(),
      receiveCount: letter.receiveCount,
    })),
  );
  return {
    items: items.toSorted((a, b) => a.sentAt.localeCompare(b.sentAt)),
    more: found.some(({ letters }) => letters.length === SHOWN),
  };
};

/**
 * Sends a letter to its queue once more, or takes it away for good; audited, without its body. Doing it twice changes
 * nothing (F31). @throws Problem forbidden | not_found
 */
export const settle = async (
  ctx: Ctx<Human>,
  queues: DeadLetterQueues,
  letter: { readonly queue: DeadLetterQueue; readonly messageId: string },
  how: "redrive" | "remove",
): Promise<void> => {
  await requirePlatformAdmin(ctx);
  const { userId } = ctx.actor;
  const there = await queues[letter.queue].settle(letter.messageId, how, ({ body, receiveCount }) =>
    transaction(ctx.db, { workspaces: [], userId }, (tx) =>
      audit.write(tx, {
        workspaceId: null,
        actor: audit.human(userId),
        event: how === "redrive" ? "dead_letter.redriven" : "dead_letter.removed",
        objectKind: "dead_letter",
        objectId: letter.messageId,
        source: "api",
        data: { queue: letter.queue, reason: reasonOf(letter.queue, body), receiveCount },
      }),
    ),
  );
  if (!there) throw new Problem("not_found");
};

/** Why a message lies here, as far as it says itself. */
const reasonOf = (queue: DeadLetterQueue, body: string): DeadLetterReason => {
  const message = jsonOf(body);
  if (typeof message !== "object" || message === null || Array.isArray(message)) return "unreadable";
  if ("v" in message && typeof message.v === "number" && message.v !== 1) return "unknown_version";
  const known = queue === "steps" ? stepMessage : jobMessage;
  return known.safeParse(message).success ? "failed_repeatedly" : "unreadable";
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
