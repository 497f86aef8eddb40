import { ALL_UPLOADS, orphans, tidyDue } from "@aiw/core/uploads";
import type { Bucket } from "@aiw/platform/bucket";
import type { Database } from "@aiw/platform/db";
import { fp } from "@aiw/platform/fault";
import type { Log } from "@aiw/platform/log";

/** Seconds between two looks. */
const EVERY_S = 3_600;
/** Objects looked up together. */
const BATCH = 500;

/** Deletes objects of uploads that no row needs (F88): once an hour, by one process. @returns how many */
export const tidyUploads = async (
  { db, bucket, log }: { readonly db: Database; readonly bucket: Bucket; readonly log: Log },
  everyS = EVERY_S,
): Promise<number> => {
  if (!(await fp("sweep.tidy_due", () => tidyDue(db, everyS)))) return 0;
  // Listed before the rows are read: what is written meanwhile is not in the list.
  const keys = (await fp("sweep.tidy_list", () => bucket.list(ALL_UPLOADS))).map(({ key }) => key);
  let count = 0;
  for (let from = 0; from < keys.length; from += BATCH) {
    const lost = await fp("sweep.tidy_rows", () => orphans(db, keys.slice(from, from + BATCH)));
    for (const key of lost) await fp("sweep.tidy_delete", () => bucket.delete(key));
    count += lost.length;
  }
  if (count > 0) log.info("objects of uploads that belonged to nobody were deleted", { count });
  return count;
};
