import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The web app from source with live reload; its requests for the API go to the stack. */
export const startDevWeb = async (
  webDir: string,
  apiUrl: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const vite = join(
    dirname(createRequire(join(webDir, "package.json")).resolve("vite/package.json")),
    "bin",
    "vite.js",
  );
  const child = spawn(process.execPath, [vite, "--host", "127.0.0.1", "--clearScreen", "false"], {
    cwd: webDir,
    env: { ...process.env, AIW_DEV_API: apiUrl },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let seen = "";
    child.once("exit", (code) =>
      reject(new Error(`the development server of the web app ended (code ${code ?? "?"})`)),
    );
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      // oxlint-disable-next-line no-control-regex
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(seen.replaceAll(/\u001b\[[0-9;]*m/g, ""));
      if (found !== null) resolve(found[0]);
    });
  });
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit");
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
};
