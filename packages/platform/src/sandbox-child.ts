/** What a sandboxed process and the one that started it say to each other. */
export interface SandboxMessage {
  readonly kind: "ready" | "order" | "answer" | "ask" | "done";
  readonly value: unknown;
}

/**
 * The inner side of a sandbox: does one order and ends. `ask` puts a question to the process outside. What is thrown ends the
 * process without an answer; failures that a person may read are answers.
 */
export const workOnce = (
  work: (order: unknown, ask: (question: object) => Promise<unknown>) => Promise<object>,
): void => {
  const told = new Map<"order" | "answer", (value: unknown) => void>();
  const next = (kind: "order" | "answer"): Promise<unknown> => new Promise((resolve) => told.set(kind, resolve));
  const ask = (question: object): Promise<unknown> => {
    const answer = next("answer");
    process.send?.({ kind: "ask", value: question } satisfies SandboxMessage);
    return answer;
  };
  process.on("message", ({ kind, value }: SandboxMessage) => {
    if (kind === "order" || kind === "answer") told.get(kind)?.(value);
  });
  // Whoever waits for the answer is gone.
  process.once("disconnect", () => process.exit(1));
  const order = next("order");
  process.send?.({ kind: "ready", value: null } satisfies SandboxMessage);
  void order
    .then((order) => work(order, ask))
    .then(
      (value) => process.send?.({ kind: "done", value } satisfies SandboxMessage, () => process.exit(0)),
      () => process.exit(1),
    );
};
