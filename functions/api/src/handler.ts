import type { Context } from "hono";
import { streamHandle } from "hono/aws-lambda";
import { createApp } from "./app.ts";
import { compose } from "./compose.ts";

/** The platform cuts a response when the function's time is over; a stream ends by itself before and is resumed. */
const MARGIN_MS = 60_000;

const functionMs = Number(process.env["AIW_FUNCTION_S"] ?? 900) * 1_000;
const { deps } = compose(process.env, { maxStreamMs: Math.max(MARGIN_MS, functionMs - MARGIN_MS) });

/** The address the platform saw, not one a client may claim in a header. */
const addressOf = (c: Context): string => {
  const source: unknown = c.env?.requestContext?.http?.sourceIp;
  return typeof source === "string" ? source : "unknown";
};

/** The API behind a function URL, with streamed answers. */
export const handler = streamHandle(createApp(deps, { addressOf, flushBeforeAnswer: true }));
