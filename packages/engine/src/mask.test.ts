import fc from "fast-check";
import { expect, test } from "vitest";
import { createLog } from "@aiw/platform/log";
import { REDACTED } from "@aiw/policy/redact";
import { maskOf, NO_MASK } from "./mask.ts";

const event = (data: object) => ({ type: "tool.finished", data });

test("APR-10 every text of an event is masked; ids, states and the type of the event stay what they are", () => {
  const mask = maskOf(["executed"]);
  const id = "0199a1b2-c3d4-7000-8000-00000000000a";
  const masked = mask.event(
    event({ toolCallId: id, status: "executed", result: "it was executed", deep: [{ executed: "x executed" }] }),
  );
  expect(masked).toEqual({
    type: "tool.finished",
    data: { toolCallId: id, status: "executed", result: `it was ${REDACTED}`, deep: [{ executed: `x ${REDACTED}` }] },
  });
});

test("APR-10 N81 whatever the answer, and wherever a stream of text is cut: no piece and no join of pieces holds it", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 12 }).filter((s) => s.trim() !== "" && !REDACTED.includes(s.trim())),
      fc.string({ maxLength: 20 }),
      fc.string({ maxLength: 20 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 8 }),
      (answer, before, after, cuts) => {
        const whole = `${before}${answer}${after}`;
        const ends = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
        const stream = maskOf([answer]).stream();
        let from = 0;
        let out = "";
        for (const end of [...ends, whole.length]) {
          out += stream.push(whole.slice(from, end));
          from = end;
        }
        out += stream.end();
        expect(out).toBe(maskOf([answer]).text(whole));
        expect(out.replaceAll(REDACTED, "\u0000")).not.toContain(answer);
      },
    ),
    { numRuns: 2000 },
  );
});

test("APR-10 JSON text stays JSON, also where the answer stands as a number or is escaped", () => {
  const mask = maskOf(["4711", 'say "hi"']);
  expect(JSON.parse(mask.json('{"code":4711,"text":"say \\"hi\\" now","n":47110}'))).toEqual({
    code: REDACTED,
    text: `${REDACTED} now`,
    n: 47110,
  });
  expect(mask.hides('{"text":"say \\"hi\\""}')).toBe(true);
});

test("SEC-9 APR-10 the log of the step hides it in messages, fields and errors, stacks included", () => {
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (line) => void lines.push(line) });
  const masked = maskOf(["pin-77"]).log(log).child({ note: "pin-77" });
  masked.warn("got pin-77", { error: new Error("bad pin-77"), list: ["pin-77"] });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("pin-77");
  expect(lines[0]).toContain("bad ");
});

test("without a sensitive answer everything passes as it is", () => {
  const one = event({ result: "text" });
  expect(NO_MASK.event(one)).toBe(one);
  expect(maskOf([]).idle).toBe(true);
});
