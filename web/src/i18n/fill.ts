/**
 * Puts values into the `{{ name }}` places of a text, in one pass: what comes in with a value is text, never a place of its
 * own nor a pattern. Places without a value stay.
 */
export const fill = (text: string, values?: Readonly<Record<string, unknown>>): string =>
  values === undefined
    ? text
    : text.replace(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) =>
        Object.hasOwn(values, name) ? String(values[name]) : place,
      );
