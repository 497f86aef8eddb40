import { z } from "zod";
import type { SourceAccess, ToolResult } from "../connector/index.ts";
import { McpFailure } from "./failure.ts";
import type { McpLimits } from "./limits.ts";
import { cut, resourceText } from "./result.ts";
import { hideSecret, withSession, type SessionOptions } from "./session.ts";
import { clipped, visible } from "./visible.ts";

const page = z.looseObject({ resources: z.array(z.unknown()), nextCursor: z.string().optional() });
const entry = z.looseObject({ uri: z.string(), name: z.string().optional(), mimeType: z.string().optional() });
const contents = z.looseObject({ contents: z.array(z.unknown()) });

export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string | null;
}

/** The resources a server offers (MCP-2), at most as many as tools; entries that are not understood are left out. @throws McpFailure */
export const listResources = (
  source: SourceAccess,
  options: SessionOptions,
  limits: McpLimits,
): Promise<readonly ResourceEntry[]> =>
  withSession(source, options, async (session) => {
    const found: ResourceEntry[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let count = 0; count < limits.maxPages && found.length < limits.maxTools; count += 1) {
      const answer = await session.request("resources/list", cursor === undefined ? {} : { cursor }, page);
      found.push(...answer.resources.flatMap(readEntry));
      cursor = answer.nextCursor;
      if (cursor === undefined || cursors.has(cursor)) break;
      cursors.add(cursor);
    }
    return found.slice(0, limits.maxTools);
  });

const readEntry = (raw: unknown): ResourceEntry[] => {
  const parsed = entry.safeParse(raw);
  if (!parsed.success) return [];
  const { uri, name = uri, mimeType = null } = parsed.data;
  return uri.length > 2_000
    ? []
    : [
        {
          uri,
          name: clipped(visible(name), 200),
          mimeType: mimeType === null ? null : clipped(visible(mimeType), 100),
        },
      ];
};

/** One resource as text: what is binary is named, nothing else is fetched. Never throws for what a server does. */
export const readResource = async (
  source: SourceAccess,
  uri: string,
  options: SessionOptions,
  maxBytes: number,
): Promise<ToolResult> => {
  try {
    return await withSession(source, options, async (session) => {
      const answer = await session.request("resources/read", { uri }, contents);
      const whole = answer.contents.slice(0, 1_000).map(resourceText).join("\n");
      return { ok: true, ...cut(hideSecret(whole, source.secret), maxBytes) };
    });
  } catch (error) {
    if (error instanceof McpFailure) return { ok: false, text: error.detail, truncated: false };
    throw error;
  }
};
