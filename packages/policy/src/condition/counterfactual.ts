import type { CompareOperator, Condition } from "./ast.ts";
import { evaluate, type Outcome } from "./evaluate.ts";
import { printCondition } from "./print.ts";
import { conditionPaths } from "./review.ts";
import type { ConditionValues } from "./values.ts";

/**
 * What would have made a condition false (APR-1, POL-7): any of the entries, each entry with all of its sentences, which
 * are conditions themselves: `[["param.amount <= 50"], ["context.is_admin"]]`. Whoever changes what an entry speaks of so
 * that all its sentences hold, and nothing else, has made the condition false. The fewest changes first, at most eight
 * entries, JSON as it stands. Empty where the condition was false anyway or nothing simple would have helped.
 *
 * A value that was missing or of the wrong type would have to be there and to fit the sentence.
 */
export const counterfactual = (condition: Condition, values: ConditionValues): readonly (readonly string[])[] =>
  new Search(values)
    .ways(condition, false)
    .filter((way) => changesIn(way).length > 0)
    .map(sentences);

const mostWays = 8;

/** Something that has to hold. */
interface Need {
  readonly text: string;
  readonly opposite: string;
  /** Roots and first steps of what it looks at. */
  readonly names: readonly string[];
  /** It holds already. */
  readonly kept: boolean;
}
/** Needs that all have to hold. */
type Way = readonly Need[];

const changesIn = (way: Way): Way => way.filter(({ kept }) => !kept);

/** What has to change, and what has to stay although it speaks of a value that changes. */
const sentences = (way: Way): readonly string[] => {
  const changes = changesIn(way);
  const touched = new Set(changes.flatMap(({ names }) => names));
  const staying = way.filter(({ kept, names }) => kept && names.some((name) => touched.has(name)));
  return [...changes, ...staying].map(({ text }) => text);
};

/** Remembers what it found for each part: nested parts are asked for again and again. */
class Search {
  private readonly values: ConditionValues;
  private readonly outcomes = new Map<Condition, Outcome>();
  private readonly found = { true: new Map<Condition, readonly Way[]>(), false: new Map<Condition, readonly Way[]>() };

  constructor(values: ConditionValues) {
    this.values = values;
  }

  ways(condition: Condition, wanted: boolean): readonly Way[] {
    const known = this.found[`${wanted}`];
    const ways = known.get(condition) ?? this.search(condition, wanted);
    known.set(condition, ways);
    return ways;
  }

  private search(condition: Condition, wanted: boolean): readonly Way[] {
    if (this.outcome(condition) === String(wanted)) return [this.reasons(condition, wanted)];
    switch (condition.kind) {
      case "not":
        return this.ways(condition.part, !wanted);
      case "and":
      case "or": {
        const ending = condition.kind === "or";
        if (wanted !== ending) return together(condition.parts.map((part) => this.ways(part, wanted)));
        // Decided by the first part that gives the ending value; all before it have to give the other one.
        const found: Way[] = [];
        let before: readonly Way[] = [[]];
        for (const part of condition.parts) {
          found.push(...together([before, this.ways(part, ending)]));
          before = together([before, this.ways(part, !ending)]);
        }
        return shortest(found);
      }
      default:
        return conditionPaths(condition).length === 0 ? [] : [[needOf(condition, wanted, false)]];
    }
  }

  /** Why it is as it is wanted. */
  private reasons(condition: Condition, wanted: boolean): Way {
    switch (condition.kind) {
      case "not":
        return this.reasons(condition.part, !wanted);
      case "and":
      case "or": {
        const going = condition.kind === "and";
        const last = condition.parts.findIndex((part) => this.outcome(part) !== String(going));
        const [needed, ending] =
          last < 0 ? [condition.parts, []] : [condition.parts.slice(0, last), [condition.parts[last]]];
        return [
          ...needed.flatMap((part) => this.reasons(part, going)),
          ...ending.flatMap((part) => (part === undefined ? [] : this.reasons(part, !going))),
        ];
      }
      default:
        return [needOf(condition, wanted, true)];
    }
  }

  private outcome(condition: Condition): Outcome {
    const outcome = this.outcomes.get(condition) ?? this.answer(condition);
    this.outcomes.set(condition, outcome);
    return outcome;
  }

  /** As `evaluate` answers, from what is known of the parts. */
  private answer(condition: Condition): Outcome {
    switch (condition.kind) {
      case "not": {
        const outcome = this.outcome(condition.part);
        return outcome === "error" ? outcome : outcome === "true" ? "false" : "true";
      }
      case "and":
      case "or": {
        const going = condition.kind === "and" ? "true" : "false";
        const last = condition.parts.find((part) => this.outcome(part) !== going);
        return last === undefined ? going : this.outcome(last);
      }
      default:
        return evaluate(condition, this.values).outcome;
    }
  }
}

const needOf = (leaf: Condition, wanted: boolean, kept: boolean): Need => {
  const [is, isNot] = [printCondition(leaf), printCondition(negated(leaf))];
  const names = conditionPaths(leaf).map(({ root, steps }) => JSON.stringify([root, steps[0]]));
  return wanted ? { text: is, opposite: isNot, names, kept } : { text: isNot, opposite: is, names, kept };
};

/** Every choice of one way for each part. */
const together = (parts: readonly (readonly Way[])[]): readonly Way[] =>
  parts.reduce<readonly Way[]>(
    (found, part) => shortest(found.flatMap((way) => part.map((more) => joined(way, more)))),
    [[]],
  );

const joined = (a: Way, b: Way): Way => [...a, ...b.filter(({ text }) => a.every((need) => need.text !== text))];

const shortest = (found: readonly Way[]): readonly Way[] => {
  const seen = new Map(found.filter(isPossible).map((way) => [way.map(({ text }) => text).join("\n"), way]));
  return [...seen.values()].sort((a, b) => changesIn(a).length - changesIn(b).length).slice(0, mostWays);
};

const isPossible = (way: Way): boolean => {
  const texts = new Set(way.map(({ text }) => text));
  return way.every(({ opposite }) => !texts.has(opposite));
};

const negations: Readonly<Record<CompareOperator, CompareOperator>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
  in: "not in",
  "not in": "in",
  is: "is not",
  "is not": "is",
};

const negated = (leaf: Condition): Condition =>
  leaf.kind === "compare" ? { ...leaf, operator: negations[leaf.operator] } : { kind: "not", part: leaf };
