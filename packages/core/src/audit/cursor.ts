import { Problem } from "@aiw/contract/problem";

/** A page position that this product did not hand out (N10). */
export const badCursor = (): Problem => new Problem("bad_request", { fields: { cursor: "invalid" } });

/**
 * A page position made of an instant (as Postgres prints it, microseconds kept) and a record id; opaque to clients.
 */
export const encodeCursor = (at: string, id: string): string => Buffer.from(`${at}|${id}`).toString("base64url");

const SHAPE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00)\|([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** @throws Problem bad_request for anything `encodeCursor` did not make */
export function decodeCursor(cursor: string): { at: string; id: string } {
  const match = SHAPE.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  const [, at, id] = match ?? [];
  if (at === undefined || id === undefined || Number.isNaN(Date.parse(at.replace(" ", "T").replace("+00", "Z"))))
    throw badCursor();
  return { at, id };
}
