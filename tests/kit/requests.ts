import { runGit } from "@aiw/infra/local/git-command";
import * as approvals from "@aiw/core/approvals";
import { decide, onlyRequest, propose, topic, type Request } from "./runs.ts";
import type { Role, World } from "./world.ts";

let counter = 1000;
/** A number no other proposal of this file has. */
export const unique = (): number => (counter += 1);

type Turn = Parameters<World["script"]["push"]>[1];

/** A run that waits with one request, for a change no other test makes. */
export const waitingRequest = async (
  world: World,
  options: {
    readonly role?: Role;
    readonly after?: readonly Turn[];
    readonly path?: string;
    readonly find?: string;
  } = {},
): Promise<{ runId: string; chatId: string; request: Request; t: string; number: number }> => {
  const t = topic();
  const number = unique();
  const call = propose(`total >= ${number}`, options.find, options.path);
  world.script.push(t, { text: "I propose this.", calls: [call] }, ...(options.after ?? [{ text: "done" }]));
  const { runId, chatId } = await world.ask(t, options.role ?? "member");
  await world.drive(runId);
  return { runId, chatId, t, number, request: await onlyRequest(world, runId) };
};

/** The same, approved. */
export const approvedRequest = async (
  world: World,
  options: { readonly role?: Role; readonly by?: Role } = {},
): Promise<{ runId: string; request: Request }> => {
  const made = await waitingRequest(world, {
    ...(options.role === undefined ? {} : { role: options.role }),
    after: [{ text: "I see." }],
  });
  await decide(world, options.by ?? "approver", made.request, "approved");
  return made;
};

/** What the page of a request shows to this person. */
export const detailOf = (world: World, role: Role, id: string) =>
  approvals.detail(world.as(role), role === "global" ? [] : [world.workspaceId], id);

/** Somebody else pushes to the target branch. Returns the new head. */
export const commitToMain = (world: World, path: string, content: string): string => {
  const git = ["-C", world.repository.directory];
  const head = runGit([...git, "rev-parse", "refs/heads/main"])
    .toString()
    .trim();
  const data = `data ${Buffer.byteLength(content)}\n${content}\n`;
  runGit(
    [...git, "fast-import", "--quiet"],
    `commit refs/heads/main\ncommitter Maintainer <maintainer@example.com> 1790002000 +0000\ndata 4\nmore\nfrom ${head}\nM 100644 inline ${path}\n${data}\n`,
  );
  return runGit([...git, "rev-parse", "refs/heads/main"])
    .toString()
    .trim();
};

/** The target branch is put back to a commit it had before. */
export const resetMain = (world: World, commit: string): void => {
  runGit(["-C", world.repository.directory, "update-ref", "refs/heads/main", commit]);
};
