/**
 * Whether a regular expression of a server may run in our process (N42). Only a small language is let through, in which the
 * work of matching is counted beforehand: at most one unbounded repetition (an open start counts as one), nothing ambiguous
 * repeated, no look-around, no references. Everything else is "no", also when it might be harmless.
 */
export const isSafePattern = (pattern: string): boolean => {
  if (pattern.length > MAX_LENGTH) return false;
  try {
    void new RegExp(pattern, "u");
    const counter = new Counter(pattern);
    const total = counter.count();
    const open = pattern.startsWith("^") && !counter.hasBranches ? 0 : 1;
    const loops = total.unbounded + open;
    // With a loop the work below is done again at each place of the text.
    return loops === 0 ? total.ways <= MAX_WAYS : loops === 1 && total.ways * total.length <= MAX_WORK;
  } catch {
    return false;
  }
};

const MAX_LENGTH = 256;
const MAX_WAYS = 1_000;
const MAX_WORK = 2_000;
const MAX_REPEAT = 10_000;

/** What matching from one place may cost. Choices of unbounded repetitions are counted apart. */
interface Cost {
  readonly ways: number;
  readonly unbounded: number;
  /** Characters of the longest match, an unbounded repetition taken once. */
  readonly length: number;
  /** It can match without taking a character; repeating that is ambiguous. */
  readonly isEmpty: boolean;
}

class Unsupported extends Error {}

const ONE: Cost = { ways: 1, unbounded: 0, length: 1, isEmpty: false };
const NOTHING: Cost = { ways: 1, unbounded: 0, length: 0, isEmpty: true };

class Counter {
  /** Whether the whole pattern is a choice, so that a `^` at its start holds for one branch only. */
  hasBranches = false;
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  count(): Cost {
    const total = this.alternatives();
    if (this.at < this.text.length) throw new Unsupported();
    return total;
  }

  private alternatives(): Cost {
    let total = this.sequence();
    while (this.text[this.at] === "|") {
      if (this.depth === 0) this.hasBranches = true;
      this.at += 1;
      const next = this.sequence();
      total = {
        ways: total.ways + next.ways,
        unbounded: total.unbounded + next.unbounded,
        length: Math.max(total.length, next.length),
        isEmpty: total.isEmpty || next.isEmpty,
      };
    }
    return total;
  }

  private sequence(): Cost {
    let total = NOTHING;
    while (this.at < this.text.length && this.text[this.at] !== "|" && this.text[this.at] !== ")") {
      const part = this.quantified(this.atom());
      total = {
        ways: total.ways * part.ways,
        unbounded: total.unbounded + part.unbounded,
        length: total.length + part.length,
        isEmpty: total.isEmpty && part.isEmpty,
      };
      if (total.ways > MAX_WAYS) throw new Unsupported();
    }
    return total;
  }

  private atom(): Cost {
    const char = this.text[this.at];
    if (char === "^" || char === "$") {
      this.at += 1;
      return NOTHING;
    }
    if (char === "(") return this.group();
    if (char === "[") return this.characterClass();
    if (char === "\\") return this.escape();
    // One character, also where it takes two code units.
    this.at += (this.text.codePointAt(this.at) ?? 0) > 0xffff ? 2 : 1;
    return ONE;
  }

  private group(): Cost {
    const open = this.text.startsWith("(?:", this.at) ? 3 : 1;
    if (open === 1 && this.text[this.at + 1] === "?") throw new Unsupported();
    this.at += open;
    this.depth += 1;
    const inside = this.alternatives();
    this.depth -= 1;
    if (this.text[this.at] !== ")") throw new Unsupported();
    this.at += 1;
    return inside;
  }

  private characterClass(): Cost {
    for (this.at += 1; this.text[this.at] !== "]"; this.at += 1) {
      if (this.at >= this.text.length) throw new Unsupported();
      if (this.text[this.at] === "\\") this.at += 1;
    }
    this.at += 1;
    return ONE;
  }

  private escape(): Cost {
    const whole = ESCAPE.exec(this.text.slice(this.at));
    if (whole === null) throw new Unsupported();
    this.at += whole[0].length;
    return ONE;
  }

  private quantified(part: Cost): Cost {
    const found = QUANTIFIER.exec(this.text.slice(this.at));
    if (found === null) return part;
    this.at += found[0].length;
    const [min, max] = bounds(found);
    return max === Infinity ? repeatedWithoutEnd(part, min) : repeated(part, min, max);
  }
}

const ESCAPE =
  /^\\(?:[dDwWsSnrtfv0]|[\^$\\.*+?()[\]{}|/-]|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[pP]\{[\w=]{1,40}\})/;
const QUANTIFIER = /^(?:\*|\+|\?|\{(\d{1,6})(?:(,)(\d{0,6}))?\})\??/;

const bounds = (found: RegExpExecArray): readonly [number, number] => {
  const sign = found[0][0];
  if (sign === "*") return [0, Infinity];
  if (sign === "+") return [1, Infinity];
  if (sign === "?") return [0, 1];
  const min = Number(found[1]);
  if (found[2] === undefined) return [min, min];
  return [min, found[3] === "" || found[3] === undefined ? Infinity : Number(found[3])];
};

const repeatedWithoutEnd = (part: Cost, min: number): Cost => {
  if (part.ways > 1 || part.unbounded > 0 || part.isEmpty || min > MAX_REPEAT) throw new Unsupported();
  return { ways: 1, unbounded: 1, length: part.length * Math.max(min, 1), isEmpty: min === 0 };
};

const repeated = (part: Cost, min: number, max: number): Cost => {
  if (max < min || max > MAX_REPEAT) throw new Unsupported();
  if (max > 1 && (part.unbounded > 0 || part.isEmpty)) throw new Unsupported();
  const rest = { unbounded: part.unbounded, length: part.length * max, isEmpty: part.isEmpty || min === 0 };
  if (part.ways === 1) return { ...rest, ways: max - min + 1 };
  let ways = 0;
  for (let times = min; times <= max; times += 1) {
    ways += part.ways ** times;
    if (ways > MAX_WAYS) throw new Unsupported();
  }
  return { ...rest, ways };
};
