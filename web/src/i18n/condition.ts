/** A condition as people read it: `amount > 50` for `param.amount > 50`. What stands in quotation marks stays as it is. */
export const plainCondition = (text: string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\bparam\.(?=[\p{ID_Start}$])/gu, "")))
    .join("");
