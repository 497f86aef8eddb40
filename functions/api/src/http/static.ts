import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".map": "application/json",
};

/**
 * A file of the built web app, or its page for every path that is none (the app routes by itself). Files under /assets/
 * carry their content's hash in the name and never change; everything else is asked for anew.
 * A browser that goes to an address (`accept` names text/html) always gets the page, which then says that nothing is
 * there; whoever asks for a missing asset does not.
 * Null: no such asset, or no built app.
 */
export async function serveFile(root: string, path: string, accept: string): Promise<Response | null> {
  const relative = fileOf(path);
  const file = relative === null || relative === "" ? null : await readOrNull(join(root, relative));
  if (file !== null && relative !== null) {
    const immutable = relative.startsWith(`assets${sep}`);
    return answer(file, extname(relative), immutable ? "public, max-age=31536000, immutable" : "no-cache");
  }
  const isRoute = relative !== null && extname(relative) === "";
  if (!isRoute && !accept.includes("text/html")) return null;
  const page = await readOrNull(join(root, "index.html"));
  return page === null ? null : answer(page, ".html", "no-cache");
}

/** The file a URL path names inside the folder; null for anything that leads elsewhere. */
function fileOf(path: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (decoded.includes("\u0000") || decoded.includes("\\")) return null;
  const relative = normalize(decoded).replace(/^[/\\]+/, "");
  const parts = relative.split(sep);
  return parts.some((part) => part.startsWith(".") && part !== ".") ? null : relative === "." ? "" : relative;
}

async function readOrNull(path: string): Promise<Buffer<ArrayBuffer> | null> {
  try {
    return Buffer.from(await readFile(path));
  } catch {
    return null;
  }
}

const answer = (bytes: Buffer<ArrayBuffer>, extension: string, caching: string): Response =>
  new Response(bytes, {
    headers: { "content-type": TYPES[extension] ?? "application/octet-stream", "cache-control": caching },
  });
