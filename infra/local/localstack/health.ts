import { deadline } from "@aiw/platform/deadline";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const healthSchema = z.object({ services: z.record(z.string(), z.string()), version: z.string().optional() });

const READY_WITHIN_MS = 120_000;
const ANSWER_WITHIN_MS = 3000;

/** What a LocalStack says of itself; null when none answers there. @throws when something else answers */
const ask = async (endpoint: string): Promise<Record<string, string> | null> => {
  let response: Response;
  try {
    response = await fetch(new URL("/_localstack/health", endpoint), { signal: deadline(ANSWER_WITHIN_MS) });
  } catch {
    return null;
  }
  const parsed = healthSchema.safeParse(await response.json().catch(() => null));
  if (!parsed.success) throw new Error(`what answers at ${endpoint} is no LocalStack`);
  return parsed.data.services;
};

const missingIn = (services: Record<string, string>): string[] =>
  ["sqs", "s3"].filter((name) => !["available", "running"].includes(services[name] ?? ""));

/** @throws an error that says what to do when no usable LocalStack answers at the address */
export const reachable = async (endpoint: string): Promise<void> => {
  if (!URL.canParse(endpoint)) throw new Error("AWS_ENDPOINT_URL is no address; http://127.0.0.1:4566 is one");
  const services = await ask(endpoint);
  if (services === null)
    throw new Error(
      `no LocalStack answers at ${endpoint} (AWS_ENDPOINT_URL); start it there, or unset the variable to have one started`,
    );
  const missing = missingIn(services);
  if (missing.length > 0)
    throw new Error(
      `the LocalStack at ${endpoint} runs without ${missing.join(" and ")}; start it with SERVICES=sqs,s3`,
    );
};

/** Waits until it serves both; `ended` tells why it never will, once it is known. */
export const untilReady = async (endpoint: string, ended: () => string | null): Promise<void> => {
  const end = performance.now() + READY_WITHIN_MS;
  while (performance.now() < end) {
    const why = ended();
    if (why !== null) throw new Error(why);
    const services = await ask(endpoint);
    if (services !== null && missingIn(services).length === 0) return;
    await delay(200);
  }
  throw new Error(`LocalStack was not ready at ${endpoint} within ${READY_WITHIN_MS / 1000} seconds`);
};
