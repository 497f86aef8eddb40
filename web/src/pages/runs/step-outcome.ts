import { de as common } from "../../i18n/de/common.ts";
import { de } from "../../i18n/de/runs.ts";
import { t as words } from "../../i18n/index.ts";
import { runs as t } from "../../i18n/runs.ts";

type OutcomeKey = keyof typeof de.step.outcomes;
const isOutcome = (key: string): key is OutcomeKey => Object.hasOwn(de.step.outcomes, key);

type Status = keyof typeof common.run;
const isStatus = (key: string): key is Status => Object.hasOwn(common.run, key);
/** How a step ended: a word, for some with the code behind it ("retry:rate_limited"); a state of the run where the step says no more (RUN-17). */
export const outcomeText = (outcome: string): string => {
  const [key = "", ...code] = outcome.split(":");
  if (isOutcome(key)) return t(`step.outcomes.${key}`, { code: code.join(":") });
  return isStatus(key) ? words(`run.${key}`) : outcome;
};
