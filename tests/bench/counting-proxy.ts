import { connect as dial, createServer, type AddressInfo, type Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  /** How often a client sent something after it had heard something. */
  readonly roundTrips: () => number;
  readonly close: () => void;
}

/** Stands before the server on port `to` and counts. */
export const countingProxy = async (to: number): Promise<Proxy> => {
  let turns = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(to, "127.0.0.1");
    let talking = false;
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (!talking) turns += 1;
      talking = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      talking = false;
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => turns,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};
