/// <reference path="./.sst/platform/config.d.ts" />
import { readStage } from "../stage.ts";
import { alarms } from "./alarms.ts";
import { bucket, database, network, secrets } from "./data.ts";
import { functions, type Parts } from "./functions.ts";
import { queues } from "./queues.ts";
import { service } from "./streams.ts";
import { pages, router } from "./web.ts";

/** Everything deployed (OPS-4), in the order in which a request walks through it. */
export const deployAll = () => {
  const stage = readStage($app.stage, process.env);
  const vpc = network(stage);
  const db = database(stage, vpc);
  secrets(stage, db);
  const storage = bucket(stage);
  const made = queues();
  const origin = $interpolate`https://${storage.name}.s3.${aws.getRegionOutput().region}.amazonaws.com`;
  const parts: Parts = { stage, vpc, storage, queues: made, router: router(stage, origin) };
  pages(parts.router);
  const all = functions(parts);
  if (stage.streams === "container") service(parts);
  alarms(stage, made, all, db);
  return { url: `https://${stage.domain}`, database: db.host };
};
