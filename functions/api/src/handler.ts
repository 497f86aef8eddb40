import type { Context } from "hono";
import { streamHandle } from "hono/aws-lambda";
import { createApp } from "./app.ts";
import { environment } from "@aiw/platform/deployed";
import { compose } from "./compose.ts";

/**
 * Each open stream is an environment of its own here, and nobody tells when its reader left (OPS-11): no subscription, one look
 * every 250 ms while a run works, an end after a minute at the latest, and none is held for a run that waits or for the inbox.
 */
const STREAMS = { listens: false, pollMs: 250, maxStreamMs: 60_000, restMs: { waitingRun: 5_000, inbox: 10_000 } };

const { deps } = compose(environment(), { streams: STREAMS });

/** The address the platform saw, not one a client may claim in a header. */
const addressOf = (c: Context): string => {
  const source: unknown = c.env?.requestContext?.http?.sourceIp;
  return typeof source === "string" ? source : "unknown";
};

/** The API behind a function URL, with streamed answers. */
export const handler = streamHandle(createApp(deps, { addressOf, flushBeforeAnswer: true }));
