import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { createTelemetry } from "./telemetry.ts";

test("SEC-9 a receiver that refuses everything holds nobody up for more than 3 s, and the log says it once for traces and once for metrics", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(400).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const lines: string[] = [];
  const telemetry = createTelemetry({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    service: "test",
    environment: "test",
    log: createLog({ level: "warn", write: (line) => void lines.push(line) }),
  });
  try {
    for (let n = 0; n < 3; n += 1) {
      telemetry.apart("work").end();
      telemetry.metric("aiw.runs", 1);
      const began = performance.now();
      await telemetry.flush();
      expect(performance.now() - began).toBeLessThan(3_500);
      await delay(10);
    }
    expect(asked).toBeGreaterThanOrEqual(4);
    expect(lines.filter((line) => line.includes("traces do not get through"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("metrics do not get through"))).toHaveLength(1);
  } finally {
    await telemetry.close();
    server.closeAllConnections();
    server.close();
  }
});

test("SEC-9 a receiver that never answers holds a flush up for 3 s and no longer", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const telemetry = createTelemetry({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    service: "test",
    environment: "test",
    log: createLog({ level: "silent" }),
  });
  telemetry.apart("work").end();
  const began = performance.now();
  await telemetry.flush();
  expect(performance.now() - began).toBeGreaterThan(2_500);
  expect(performance.now() - began).toBeLessThan(4_500);
  server.closeAllConnections();
  server.close();
  await telemetry.close();
});
