import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { scriptBrain } from "@aiw/infra/local/demo-gateway/brain-script";
import type { BrainRequest, ScriptTurn } from "@aiw/infra/local/demo-gateway/brain";
import { startDemoGateway } from "@aiw/infra/local/demo-gateway/server";

export interface SeenCall {
  readonly http: string;
  readonly key: string | null;
}

/** A gateway over HTTP that takes any key and remembers which one came with each request. */
export interface GatewaySpy {
  /** Address with `/v1`. */
  readonly url: string;
  readonly seen: SeenCall[];
  /** Every turn it was asked for. */
  readonly asked: readonly BrainRequest[];
  /** Set: answers instead of the model. */
  respond: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  stop(): Promise<void>;
}

export const startGatewaySpy = async (
  answer: (request: BrainRequest) => ScriptTurn,
  models: readonly string[] = ["model-a", "model-b"],
): Promise<GatewaySpy> => {
  const brain = scriptBrain(answer);
  const gateway = await startDemoGateway({ brain: { ...brain, models } });
  const seen: SeenCall[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push({
      http: `${incoming.method} ${incoming.url}`,
      key: /^Bearer (\S+)$/.exec(incoming.headers.authorization ?? "")?.[1] ?? null,
    });
    if (spy.respond !== null) return spy.respond(incoming, outgoing);
    const onward = forward(
      { host: "127.0.0.1", port: gateway.port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answered) => {
        outgoing.writeHead(answered.statusCode ?? 500, answered.headers);
        answered.pipe(outgoing);
        answered.on("error", () => outgoing.destroy());
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const spy: GatewaySpy = {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    asked: brain.requests,
    respond: null,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await gateway.stop();
    },
  };
  return spy;
};
