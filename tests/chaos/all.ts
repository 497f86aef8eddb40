import type { Harness } from "./harness.ts";

/** What `npm run chaos` can play, by the id of its figure (spec 70 section 5); loaded only when it is played. */
export const HARNESSES: Readonly<Record<string, () => Promise<Harness>>> = {
  g3: async () => (await import("./g3.ts")).g3,
  g19: async () => (await import("./g19.ts")).g19,
  g4: async () => (await import("./g4.ts")).g4,
  g6: async () => (await import("./g6.ts")).g6,
  g7: async () => (await import("./g7.ts")).g7,
  g8: async () => (await import("./g8.ts")).g8,
  "g8-ledger": async () => (await import("./g8-ledger.ts")).g8Ledger,
  g1: async () => (await import("./g1.ts")).g1,
  g5: async () => (await import("./g5.ts")).g5,
  g2: async () => (await import("./g2.ts")).g2,
};
