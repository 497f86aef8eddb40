import { guardrailTurn } from "@aiw/infra/local/demo-gateway/brain-script";
import type { Client } from "../kit/client.ts";
import { approve, demoWorkspace, newChat, requestOf, runEnds, say } from "../kit/people.ts";
import { until, type LocalStack } from "../kit/stack.ts";

export interface Asked {
  readonly chatId: string;
  readonly runId: string;
  readonly requestId: string;
}

/** Records of every kind that the screens show. */
export interface Shown {
  readonly workspaceId: string;
  readonly newWorkspaceId: string;
  readonly sourceId: string;
  readonly emptyChatId: string;
  readonly blockedChatId: string;
  readonly blockedRunId: string;
  readonly executed: Asked;
  readonly rejected: Asked;
  readonly expired: Asked;
  readonly pending: Asked;
  readonly large: Asked;
}

const BUG = "ersetze `goods > DISCOUNT_FROM` durch `goods >= DISCOUNT_FROM` in src/discount.ts";

/** Makes all of them by the API, as people would. Moves the clock by forty seconds. */
export const prepare = async (local: LocalStack): Promise<Shown> => {
  const [owner, member] = await Promise.all([local.signIn("owner"), local.signIn("member")]);
  const workspaceId = await demoWorkspace(member);
  const params = { workspaceId };
  const { items: sources } = await member.call("listSources", { params });
  const ask = async (by: Client, ...texts: readonly string[]): Promise<Asked> => {
    const chatId = await newChat(by, workspaceId);
    let runId = "";
    for (const text of texts) {
      if (runId !== "") await runEnds(by, runId);
      runId = await say(by, workspaceId, chatId, text);
    }
    return { chatId, runId, requestId: (await requestOf(by, runId)).id };
  };

  await owner.call("updateWorkspace", { params, body: { approvalTtlS: 30 } });
  const expired = await ask(member, BUG);
  await local.shift(40);
  await runEnds(member, expired.runId);
  await owner.call("updateWorkspace", { params, body: { approvalTtlS: 3_600 } });

  const rejected = await ask(member, BUG);
  const { snapshotHash } = await owner.call("getApproval", { params: { approvalId: rejected.requestId } });
  await owner.call("reject", {
    params: { approvalId: rejected.requestId },
    body: { seenHash: snapshotHash, reason: "The rule in README.md has to change in the same commit." },
  });
  await runEnds(member, rejected.runId);

  const executed = await ask(member, "suche `DISCOUNT_FROM`", "lies src/total.ts", BUG);
  await approve(owner, await owner.call("getApproval", { params: { approvalId: executed.requestId } }));
  await runEnds(member, executed.runId);

  local.script.push("several-files", { text: "Several files have to change together.", calls: [SEVERAL_FILES] });
  const large = await ask(member, "Please change several-files at once.");
  const pending = await ask(owner, BUG);

  local.script.push("a-blocked-question", guardrailTurn("litellm"));
  const blockedChatId = await newChat(member, workspaceId);
  const blockedRunId = await say(member, workspaceId, blockedChatId, "This is a-blocked-question.");
  await runEnds(member, blockedRunId);

  const emptyChatId = await newChat(owner, workspaceId);
  const created = await owner.call("createWorkspace", {
    body: {
      name: "Rechnungsprüfung und Zahlungsabgleich Donaudampfschifffahrtsgesellschaft",
      description: "A long name and nothing connected yet.",
    },
  });
  await until("both are counted", async () => ((await owner.call("listApprovals")).open >= 2 ? true : undefined));
  const sourceId = sources[0]?.id ?? "";
  return {
    workspaceId,
    newWorkspaceId: created.id,
    sourceId,
    emptyChatId,
    blockedChatId,
    blockedRunId,
    executed,
    rejected,
    expired,
    pending,
    large,
  };
};

/** Long names and lines, letters beyond ASCII, hidden characters, a deletion. */
const SEVERAL_FILES = {
  name: "propose_change",
  arguments: {
    title:
      "Apply the discount from exactly 100.00 EUR on, say so in the docs, drop what nobody reads any more (ÄÖÜß €)",
    description: "The rule in README.md says “from 100.00 EUR on”; the code leaves out exactly that amount.",
    files: [
      { path: "src/discount.ts", replacements: [{ find: "goods > DISCOUNT_FROM", replace: "goods >= DISCOUNT_FROM" }] },
      {
        path: "docs/entscheidungen/0007-rabatt-ab-einhundert-euro-einschliesslich-genau-dieses-betrags.md",
        content: [
          "# Rabatt ab genau 100,00 €",
          "Ein langer Absatz ohne Umbruch, wie ihn Menschen in Markdown-Dateien schreiben. ".repeat(6),
          "Versteckt: a\u202Eb\u200Bc",
          ...Array.from({ length: 40 }, (_, n) => `- Regel ${n + 1}`),
          "",
        ].join("\n"),
      },
      { path: "docs/notes-from-customer.md", delete: true },
    ],
  },
};
