import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs exactly what package-lock.json names, when that is not what node_modules holds. Asks nothing.
 * Throws an Error whose message is for the person in front of the terminal.
 */
export function installDependencies(root) {
  const lock = readFileSync(join(root, "package-lock.json"));
  const wanted = createHash("sha256").update(lock).digest("hex");
  const stampFile = join(root, "node_modules", ".aiw-lock");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8").trim() === wanted) return;
  if (!isInstalled(root, JSON.parse(lock.toString("utf8")))) runInstall(root);
  writeFileSync(stampFile, `${wanted}\n`);
}

/** npm keeps a list of what it has put into node_modules; with it an installation by hand counts as well. */
function isInstalled(root, lock) {
  const listFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(listFile)) return false;
  const present = JSON.parse(readFileSync(listFile, "utf8")).packages ?? {};
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.includes("node_modules/")) return true;
    const found = present[path];
    // Optional packages are for one system each: absent is fine, another version is not.
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

function runInstall(root) {
  console.error("Installing dependencies (once, about a minute) ...");
  // Whatever the surroundings say (NODE_ENV=production, ignore-scripts): the tools and the database binaries are needed.
  const args = [
    "ci",
    "--include=dev",
    "--include=optional",
    "--ignore-scripts=false",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const result = spawnSync("npm", args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (result.status === 0) return;
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}`.trim().split("\n").slice(0, 20).join("\n");
  const ending = result.error ? result.error.message : `npm ci ended with ${result.signal ?? `code ${result.status}`}`;
  throw new Error(
    `${output}\n\nThe dependencies could not be installed: ${ending}. ` +
      "Check the network connection and the free space on the disk, then run the command again.",
  );
}
