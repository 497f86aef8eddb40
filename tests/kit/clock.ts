import type { Database } from "@aiw/platform/db";

const TEST_CLOCK = `
  create table if not exists aiw_test_clock (shift interval not null default '0');
  insert into aiw_test_clock select where not exists (select from aiw_test_clock);
  grant select on aiw_test_clock to public;
  create or replace function aiw_now() returns timestamptz language sql volatile as
    $$ select clock_timestamp() + (select shift from aiw_test_clock) $$;`;

export interface TestClock {
  /** Moves the database's clock forward. */
  shift(seconds: number): Promise<void>;
}

/** Tests may move the database's clock; the product's own function knows no shift (spec 70, F67). Needs the superuser. */
export const installClock = async (admin: Database): Promise<TestClock> => {
  await admin.sql.unsafe(TEST_CLOCK);
  return {
    shift: async (seconds) => {
      await admin.sql`update aiw_test_clock set shift = shift + make_interval(secs => ${seconds})`;
    },
  };
};
