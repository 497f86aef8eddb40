import type { Database } from "@aiw/platform/db";

/** The number of a request that is named to the model before its row is written (APR-8). One that is not used leaves a gap. */
export const takeNumber = async (db: Database): Promise<number> => {
  const [row] = await db.sql<{ number: number }[]>`select nextval('approvals_number_seq') as number`;
  if (row === undefined) throw new Error("there is no next number");
  return Number(row.number);
};
