import { workOnce } from "@aiw/platform/sandbox-child";
import { runImport } from "./import-job.ts";
import type { ImportOrder, QueryOrder } from "./order.ts";
import { runQuery } from "./query-job.ts";

/** The process in which DuckDB runs: one query or one import, then it ends (UPL-2, M8-M10). */
workOnce(async (order, ask) => {
  // The other side is our own program.
  const task = order as QueryOrder | ImportOrder;
  return task.kind === "query" ? runQuery(task, ask) : runImport(task);
});
