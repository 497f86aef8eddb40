import type { InboxHint } from "@aiw/contract/events";
import type { SessionLimits } from "@aiw/core/identity";
import * as streams from "@aiw/core/streams";
import type { Database } from "@aiw/platform/db";
import type { Log } from "@aiw/platform/log";
import { encode, type StreamClient } from "./client.ts";

export interface InboxReader extends streams.Reader {
  readonly client: StreamClient;
  isGlobalApprover: boolean;
  workspaces: ReadonlySet<string>;
}

/** Tells people what to fetch anew, without what it is (RUN-11). */
export interface Inbox {
  readonly readers: Set<InboxReader>;
  /** Something about these runs changed; looked at together, a quarter of a second later. */
  touch(runIds: readonly string[]): void;
  /** Hints may have been missed: everybody fetches everything anew. */
  touchAll(): void;
  /** Cuts off who is not signed in any more, and learns what the others may be told of now. */
  checkAccess(): Promise<void>;
  stop(): void;
}

export interface InboxOptions {
  readonly db: Database;
  readonly log: Log;
  readonly limits: SessionLimits;
}

const COLLECT_MS = 250;
const MAX_MARKS = 5_000;

type HintType = InboxHint["type"];

export function createInbox(options: InboxOptions): Inbox {
  const { db, log, limits } = options;
  const readers = new Set<InboxReader>();
  const touched = new Set<string>();
  /** What was told of a run last, so that streaming text does not make everybody reload lists. */
  const told = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  const isNews = (key: string, mark: string): boolean => {
    const before = told.get(key);
    told.delete(key);
    told.set(key, mark);
    const [oldest] = told.keys();
    if (told.size > MAX_MARKS && oldest !== undefined) told.delete(oldest);
    return before !== mark;
  };

  const tell = (type: HintType, workspaceId: string): void => {
    for (const reader of readers) {
      if (reader.workspaces.has(workspaceId)) reader.client.send(frame({ type, workspaceId }));
    }
  };

  const flush = async (): Promise<void> => {
    timer = undefined;
    const runIds = [...touched];
    touched.clear();
    if (readers.size === 0 || runIds.length === 0) return;
    try {
      // Rights first: nothing is told to somebody who left (N6).
      await checkAccess();
      const scope = [...new Set([...readers].flatMap((reader) => [...reader.workspaces]))];
      const news = new Set<string>();
      for (const mark of await streams.marks(db, scope, runIds)) {
        if (isNews(`run ${mark.runId}`, mark.status))
          news.add(`runs ${mark.workspaceId}`).add(`chats ${mark.workspaceId}`);
        if (isNews(`approvals ${mark.runId}`, mark.approvals)) news.add(`approvals ${mark.workspaceId}`);
      }
      for (const item of news) {
        const [type, workspaceId] = item.split(" ");
        if (isHintType(type) && workspaceId !== undefined) tell(type, workspaceId);
      }
      await tellGlobalApprovers(runIds);
    } catch (error) {
      log.warn("hints could not be made", { error });
    }
  };

  const tellGlobalApprovers = async (runIds: readonly string[]): Promise<void> => {
    const approvers = [...readers].filter((reader) => reader.isGlobalApprover);
    const [one] = approvers;
    if (one === undefined) return;
    const marks = await streams.globalMarks(db, one.userId, runIds);
    const news = [...marks].filter(([runId, mark]) => isNews(`global ${runId}`, mark));
    if (news.length === 0) return;
    for (const reader of approvers) reader.client.send(frame({ type: "approvals", workspaceId: null }));
  };

  const checkAccess = async (): Promise<void> => {
    const asked = [...readers];
    if (asked.length === 0) return;
    const allowed = await streams.memberships(db, asked, limits);
    for (const reader of asked) {
      const standing = allowed.get(reader.sessionId);
      if (standing === undefined) {
        reader.client.end();
        continue;
      }
      const { workspaces, isGlobalApprover } = standing;
      const changed =
        isGlobalApprover !== reader.isGlobalApprover ||
        workspaces.size !== reader.workspaces.size ||
        [...workspaces].some((id) => !reader.workspaces.has(id));
      reader.workspaces = workspaces;
      reader.isGlobalApprover = isGlobalApprover;
      if (changed) reader.client.send(frame({ type: "approvals", workspaceId: null }));
    }
  };

  return {
    readers,
    touch: (runIds) => {
      if (readers.size === 0) return;
      for (const runId of runIds) touched.add(runId);
      timer ??= setTimeout(() => void flush(), COLLECT_MS);
    },
    touchAll: () => {
      for (const reader of readers) {
        for (const workspaceId of reader.workspaces) {
          for (const type of ["runs", "chats", "approvals"] as const) reader.client.send(frame({ type, workspaceId }));
        }
      }
    },
    checkAccess,
    stop: () => clearTimeout(timer),
  };
}

const isHintType = (type: string | undefined): type is HintType =>
  type === "runs" || type === "chats" || type === "approvals";

const frame = (hint: InboxHint): Uint8Array => encode(`data: ${JSON.stringify(hint)}\n\n`);
