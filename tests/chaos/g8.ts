import { createMcpConnector, type McpEgress } from "@aiw/connectors/mcp";
import type { CallContext, StoredTool } from "@aiw/connectors/connector";
import { sealAuthorisedCall } from "@aiw/contract/authorised-call";
import type { JsonObject } from "@aiw/contract/tools";
import { canonicalize } from "@aiw/policy/canonical";
import { definitionHash, sha256Hex } from "@aiw/policy/freeze";
import { readArguments } from "@aiw/policy/json";
import { reveal, revealString } from "@aiw/policy/reveal";
import { codePointName, countDisguised, visibleString, visibleText } from "../../web/src/ui/visible-text.ts";
import { rawMember } from "../kit/ledger/raw-json.ts";
import { hello } from "../kit/ledger/rpc-server.ts";
import type { Harness } from "./harness.ts";
import { argumentText, HIDDEN, ordinaryText } from "./json-texts.ts";
import { randomOf } from "./random.ts";

const WIRE: JsonObject = {
  name: "put",
  description: "Takes anything.",
  inputSchema: { type: "object", additionalProperties: true },
};
const TOOL: StoredTool = {
  id: "box.put",
  wireName: "box__put",
  wire: WIRE,
  hash: definitionHash(WIRE),
  settings: {},
};

/** The far end of the wire: answers as a server does and keeps the bytes of each call. No socket, the encoder is the real one. */
const farEnd = (): McpEgress & { readonly bodies: string[] } => {
  const bodies: string[] = [];
  return {
    bodies,
    check: (url) => new URL(url),
    request: async ({ body }) => {
      const text = typeof body === "string" ? body : "";
      const message = JSON.parse(text) as { readonly method: string; readonly id?: number };
      if (message.method === "tools/call") bodies.push(text);
      const result =
        message.method === "initialize"
          ? hello("box")
          : message.method === "tools/list"
            ? { tools: [WIRE] }
            : { content: [{ type: "text", text: "done" }] };
      const answer = message.id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
      return {
        status: message.id === undefined ? 202 : 200,
        headers: { "content-type": "application/json" },
        body: (async function* () {
          if (answer !== "") yield Buffer.from(answer);
        })(),
      };
    },
  };
};

/**
 * G8: what is shown is what runs. A case is one generated argument text, read, frozen, rendered and sent through the connector
 * that sends. Besides, always: every hidden code point, and 5,000 ordinary texts in which nothing may be flagged.
 */
export const g8: Harness = {
  id: "g8",
  longRuns: 100_000,
  run: async ({ seed, runs }) => {
    const violations: string[] = [];
    const counts = {
      arguments: 0,
      refused: 0,
      sent: 0,
      hiddenCharacters: 0,
      codePoints: 0,
      ordinaryTexts: 0,
      falseFlags: 0,
    };
    const egress = farEnd();
    const connector = createMcpConnector({
      egress,
      canonical: { text: canonicalize, hash: definitionHash },
      nativeTools: [],
    });
    const definition = connector.definitionOf(TOOL);
    if (definition === null) throw new Error("the tool is not usable");
    const context: CallContext = {
      userId: "user-1",
      workspaceId: "workspace-1",
      teamId: "team-1",
      runId: "run-1",
      source: {
        id: "source-1",
        name: "Box",
        kind: "mcp",
        config: connector.readConfig({ url: "https://box.example/mcp", server: "box" }),
        secret: null,
      },
      pin: null,
      signal: new AbortController().signal,
      timeoutMs: 20_000,
      maxResultBytes: 65_536,
      tool: TOOL,
    };

    for (let n = 0; n < runs; n += 1) {
      counts.arguments += 1;
      const say = (what: string): void => void violations.push(`case ${n}: ${what}`);
      const read = readArguments(argumentText(randomOf(seed).fork(n)));
      if (!read.ok) {
        counts.refused += 1;
        continue;
      }
      const outcome = await connector.prepare(definition, read.value, context);
      if (!outcome.ok) {
        say(`not prepared: ${outcome.text}`);
        continue;
      }
      const { form, formVersion, preview } = outcome.prepared;
      const call = sealAuthorisedCall({
        toolCallId: "call-1",
        toolId: TOOL.id,
        sourceId: "source-1",
        argsText: read.canonical,
        form,
        formVersion,
        idempotencyKey: `aiw_${n}`,
      });
      egress.bodies.length = 0;
      const written = await connector.write(call, context);
      if (written.kind !== "executed" || egress.bodies.length !== 1)
        say(`sent ${egress.bodies.length} times: ${written.kind}`);
      else counts.sent += 1;
      const arrived = rawMember(egress.bodies[0] ?? "", ["params", "arguments"]) ?? "";
      if (sha256Hex(arrived) !== sha256Hex(read.canonical)) say("other bytes arrived than were shown");
      // What a person is shown: the text of the arguments, and a field for each of them.
      const shown = visibleString(read.canonical);
      if (hasHidden(shown) || hasHidden(revealString(read.canonical))) say("a hidden character is in what is shown");
      counts.hiddenCharacters += countDisguised(read.canonical);
      if (reveal(read.canonical).hidden !== markedHidden(read.canonical)) say("page and server disagree on what hides");
      const fields = new Map((preview.fields ?? []).map(({ label, value }) => [label, value]));
      for (const [name, value] of Object.entries(JSON.parse(arrived || "{}") as JsonObject))
        if (fields.get(name) !== (typeof value === "string" ? value : JSON.stringify(value)))
          say(`the field ${name} shows another value`);
    }

    for (const char of HIDDEN) {
      counts.codePoints += 1;
      if (char === "\n" || char === "\t") continue;
      for (const text of [`a${char}b`, `${char}`, `${char}${char}`, `👍🏽${char}x`]) {
        if (text.startsWith("👍🏽") && /[\uFE0E\uFE0F\u200D]/u.test(char)) continue;
        if (!visibleString(text).includes(`⟨${codePointName(char)}⟩`))
          violations.push(`${codePointName(char)} is not marked on the page`);
        if (hasHidden(revealString(text))) violations.push(`${codePointName(char)} is not spelt out`);
      }
    }
    const random = randomOf(seed).fork("ordinary");
    for (let n = 0; n < 5000; n += 1) {
      counts.ordinaryTexts += 1;
      const text = ordinaryText(random);
      if (countDisguised(text) > 0 || reveal(text).hidden > 0) counts.falseFlags += 1;
    }
    if (counts.codePoints < 4273) violations.push(`only ${counts.codePoints} hidden code points are known here`);
    if (counts.falseFlags * 100 >= counts.ordinaryTexts)
      violations.push(`${counts.falseFlags} ordinary texts were flagged`);
    if (counts.sent < runs / 2) violations.push(`only ${counts.sent} of ${runs} were sent`);
    return { counts, violations };
  },
};

const HIDES = /(?![\n\t])[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Joiners and selectors inside emoji that exist draw something; both renderings leave those alone. */
const hasHidden = (text: string): boolean =>
  HIDES.test(
    text.replace(
      /\p{Emoji}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f]|[\u{e0020}-\u{e007f}])*(?:\u200d\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f)?)*/gu,
      "",
    ),
  );
/** What the page marks, but for letters that look alike: the server counts only what hides. */
const markedHidden = (text: string): number =>
  visibleText(text)
    .filter(({ disguise }) => disguise !== undefined && disguise !== "lookalike")
    .reduce((sum, { count }) => sum + (count ?? 1), 0);
