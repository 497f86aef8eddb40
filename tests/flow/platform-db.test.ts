import { connect, isConnectionLost, isUniqueViolation, orm, sqlState, transaction } from "@aiw/platform/db";
import type { Database, Tx } from "@aiw/platform/db";
import { sql } from "drizzle-orm";
import { bigint, date, jsonb, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../kit/postgres.ts";
import type { TestDatabase } from "../kit/postgres.ts";

const things = pgTable("things", {
  id: uuid().primaryKey(),
  name: text().notNull(),
  tags: text().array(),
  data: jsonb(),
  at: timestamp({ withTimezone: true }),
  atText: timestamp("at_text", { withTimezone: true, mode: "string" }),
  day: date(),
  size: bigint({ mode: "number" }),
});

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createDatabase();
  db = connect({ url: database.adminUrl, max: 4, applicationName: "test" });
  await db.sql`create table things (id uuid primary key, name text not null constraint things_name_key unique, tags text[],
    data jsonb, at timestamptz, at_text timestamptz, day date, size bigint)`;
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;

async function settings(tx: Tx | Database["sql"]): Promise<unknown> {
  const [row] =
    await tx`select current_setting('aiw.workspaces', true) as w, current_setting('aiw.user_id', true) as u`;
  return [row?.["w"] ?? "", row?.["u"] ?? ""];
}

describe("SEC-2 the scope of a transaction", () => {
  test("SEC-2 workspaces and user are set for the first statement and gone for the next borrower of the connection", async () => {
    const single = connect({ url: database.adminUrl, max: 1, applicationName: "test" });
    const inside = await transaction(single, { workspaces: [id(1), id(2)], userId: id(3) }, settings);
    expect(inside).toEqual([`${id(1)},${id(2)}`, id(3)]);
    expect(await settings(single.sql)).toEqual(["", ""]);
    expect(await transaction(single, { workspaces: [] }, settings)).toEqual(["", ""]);
    expect(await transaction(single, "unscoped", settings)).toEqual(["", ""]);
    await transaction(single, { workspaces: [id(1)] }, () => Promise.reject(new Error("x"))).catch(() => undefined);
    expect(await settings(single.sql)).toEqual(["", ""]);
    await single.close();
  });

  test("SEC-2 a function that does nothing still leaves a clean connection, and arrays come back as they are", async () => {
    expect(await transaction(db, { workspaces: [id(1)] }, async () => [Promise.resolve(1), 2])).toHaveLength(2);
  });
});

describe("transactions", () => {
  test("an error of the function rolls back and is not tried again", async () => {
    let runs = 0;
    const work = transaction(db, "unscoped", async (tx) => {
      runs += 1;
      await tx`insert into things (id, name) values (${id(10)}, 'ten')`;
      throw new Error("mine");
    });
    await expect(work).rejects.toThrow("mine");
    expect(runs).toBe(1);
    expect(await db.sql`select 1 from things where id = ${id(10)}`).toHaveLength(0);
  });

  test("a serialization failure runs the function again, at most three times in all", async () => {
    let runs = 0;
    const failing = (until: number) => async (tx: Tx) => {
      runs += 1;
      if (runs < until) await tx`do $$ begin raise exception 'again' using errcode = '40001'; end $$`;
      return runs;
    };
    expect(await transaction(db, "unscoped", failing(3))).toBe(3);
    runs = 0;
    const error: unknown = await transaction(db, "unscoped", failing(99)).catch((reason: unknown) => reason);
    expect([sqlState(error), runs]).toEqual(["40001", 3]);
  });

  test("two transactions that wait for each other both succeed", async () => {
    await db.sql`insert into things (id, name, size) values (${id(21)}, 'a', 0), (${id(22)}, 'b', 0)`;
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const add = (first: string, second: string, mine: 0 | 1) => async (tx: Tx) => {
      await tx`update things set size = size + 1 where id = ${first}`;
      both[mine].resolve();
      await Promise.all(both.map((one) => one.promise));
      await tx`update things set size = size + 1 where id = ${second}`;
    };
    await Promise.all([
      transaction(db, "unscoped", add(id(21), id(22), 0)),
      transaction(db, "unscoped", add(id(22), id(21), 1)),
    ]);
    expect(await db.sql`select size from things where id in (${id(21)}, ${id(22)})`).toMatchObject([
      { size: 2 },
      { size: 2 },
    ]);
  });

  test("unique violations are recognised, by constraint, also through the query builder", async () => {
    await db.sql`insert into things (id, name) values (${id(30)}, 'unique')`;
    const raw: unknown = await db.sql`insert into things (id, name) values (${id(31)}, 'unique')`.catch(
      (e: unknown) => e,
    );
    const built: unknown = await transaction(db, "unscoped", (tx) =>
      orm(tx)
        .insert(things)
        .values({ id: id(31), name: "unique" }),
    ).catch((e: unknown) => e);
    for (const error of [raw, built]) {
      expect([
        isUniqueViolation(error),
        isUniqueViolation(error, "things_name_key"),
        isUniqueViolation(error, "other"),
      ]).toEqual([true, true, false]);
    }
    expect(isUniqueViolation(new Error("23505"))).toBe(false);
  });

  test("M2 a connection the server cuts ends its transaction, not the process, and the pool of one goes on", async () => {
    const single = connect({ url: database.adminUrl, max: 1, applicationName: "test" });
    for (const cut of [1, 2, 3]) {
      const work = transaction(single, { workspaces: [id(1)] }, async (tx) => {
        await tx`insert into things (id, name) values (${id(60 + cut)}, ${`cut ${cut}`})`;
        await Promise.all([tx`select pg_terminate_backend(pg_backend_pid())`, tx`select 1`, tx`select ${cut}::int`]);
      });
      const error: unknown = await work.catch((reason: unknown) => reason);
      expect(isConnectionLost(error)).toBe(true);
      expect(await single.sql`select count(*) as n from things where name like 'cut %'`).toMatchObject([{ n: 0 }]);
    }
    await single.close();
  });
});

test("M2 the loss of another connection is an ordinary error of the function", async () => {
  const other = connect({ url: database.adminUrl, max: 1, applicationName: "test" });
  const work = transaction(db, "unscoped", async (tx) => {
    await tx`insert into things (id, name) values (${id(70)}, 'seventy')`;
    await other.sql`select pg_terminate_backend(pg_backend_pid())`;
  });
  expect(isConnectionLost(await work.catch((reason: unknown) => reason))).toBe(true);
  expect(await db.sql`select 1 from things where id = ${id(70)}`).toHaveLength(0);
  await other.close();
});

describe("values", () => {
  test("int8 is an exact number or an error, and the connection stays usable", async () => {
    const single = connect({ url: database.adminUrl, max: 1, applicationName: "test" });
    const max = Number.MAX_SAFE_INTEGER;
    expect(
      await single.sql`select ${max}::int8 as n, array[1, 2]::int8[] as list, count(*) as c from (values (1)) v`,
    ).toMatchObject([{ n: max, list: [1, 2], c: 1 }]);
    for (const parameter of [1, 2]) {
      await expect(single.sql`select (9007199254740993 + ${parameter})::int8 as n`).rejects.toThrow(RangeError);
      await expect(single.sql`select 9007199254740993::int8 as n`).rejects.toThrow(RangeError);
      expect(await single.sql`select ${parameter}::int as n`).toMatchObject([{ n: parameter }]);
    }
    await single.close();
  });

  test("the query builder writes and reads every column type and leaves the client as it was", async () => {
    const at = new Date("2026-11-02T03:04:05.678Z");
    const row = {
      id: id(40),
      name: "it's; $1",
      tags: ["a,b", 'c"d', "e\\f"],
      data: { n: [1, { t: "ä" }], at: "x" },
      at,
      atText: at.toISOString(),
      day: "2026-11-02",
      size: 12,
    };
    const [inserted] = await transaction(db, "unscoped", (tx) => orm(tx).insert(things).values(row).returning());
    expect(inserted).toEqual(row);
    const [found] = await orm(db)
      .select()
      .from(things)
      .where(sql`${things.id} = ${row.id}`);
    expect(found).toEqual(row);
    expect(await db.sql`select jsonb_typeof(data) as t, at, data from things where id = ${row.id}`).toMatchObject([
      { t: "object", at, data: row.data },
    ]);
    expect(await db.sql`select ${db.sql.json({ a: 1 })}::jsonb as j, ${at}::timestamptz as d`).toMatchObject([
      { j: { a: 1 }, d: at },
    ]);
    expect(await orm(db).execute(sql`select count(*) as n from things where id = ${row.id}`)).toMatchObject([{ n: 1 }]);
  });

  test("JSON texts that look like other types stay what they are", async () => {
    for (const [index, data] of ["text", "null", "1", 5, true, [], [1], { a: null }].entries()) {
      const [row] = await orm(db)
        .insert(things)
        .values({ id: id(50 + index), name: `json ${index}`, data })
        .returning();
      expect(row?.data).toEqual(data);
    }
  });

  test("M1 a statement of the query builder is one statement, with or without parameters", async () => {
    await expect(orm(db).execute(sql.raw("select 1; drop table things"))).rejects.toThrow();
    expect(await db.sql`select to_regclass('things') is not null as there`).toMatchObject([{ there: true }]);
  });
});
