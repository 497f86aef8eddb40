import { workOnce } from "@aiw/platform/sandbox-child";

/** What a sandboxed process can do wrong, by order (F13). */
workOnce(async (order, ask) => {
  const { act } = order as { readonly act: string };
  switch (act) {
    case "segfault":
    case "kill":
      process.kill(process.pid, act === "kill" ? "SIGKILL" : "SIGSEGV");
      return new Promise(() => undefined);
    case "hang":
      // Nothing in this process runs any more, no timer and no signal handler either.
      for (;;) continue;
    case "native memory": {
      const kept: Buffer[] = [];
      for (;;) {
        kept.push(Buffer.alloc(20_000_000, 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    case "heap": {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, n) => `${kept.length} ${n}`));
    }
    case "throw":
      throw new Error("it went wrong");
    case "environment":
      return { environment: process.env, directory: process.cwd() };
    case "ask":
      return { asked: await ask({ for: "a file" }) };
    default:
      return { pid: process.pid };
  }
});
