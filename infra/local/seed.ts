import type { Human, Member, System } from "@aiw/contract/actors";
import * as identity from "@aiw/core/identity";
import * as models from "@aiw/core/models";
import * as mcpServers from "@aiw/core/mcp-servers";
import * as sources from "@aiw/core/sources";
import * as teams from "@aiw/core/teams";
import * as tools from "@aiw/core/tools";
import * as uploads from "@aiw/core/uploads";
import * as workspaces from "@aiw/core/workspaces";
import { NATIVE_TOOLS } from "@aiw/function-step/native-tools";
import type { Ctx } from "@aiw/platform/ctx";
import type { Database } from "@aiw/platform/db";
import type { Egress } from "@aiw/platform/egress";
import type { Log } from "@aiw/platform/log";
import type { Vault } from "@aiw/platform/vault";

/** Who is in the demo: one person for each role (OPS-1). `title` is what the sign-in page says. */
export const DEMO_PEOPLE = [
  { name: "owner", displayName: "Owner", title: "Workspace admin", team: "Payments" },
  { name: "member", displayName: "Member", title: "Member", team: "Payments" },
  { name: "approver", displayName: "Approver", title: "Approver", team: "Payments" },
  { name: "global", displayName: "Global approver", title: "Global approver", team: null },
  { name: "admin", displayName: "Platform admin", title: "Platform admin", team: null },
  { name: "outsider", displayName: "Outsider", title: "Member of another team", team: "Logistics" },
] as const;

const TEAMS = ["Payments", "Logistics"] as const;
const WORKSPACE = "Orders";
const SOURCE = "orders-service";

export interface SeedOptions {
  /** The operator's connection: users and teams are an operator's. */
  readonly admin: Database;
  readonly api: Database;
  readonly log: Log;
  readonly vault: Vault;
  readonly egress: Egress;
  readonly mcpEgress: Egress;
  readonly repositoryUrl: string;
  readonly gitToken: string;
  /** The demo's MCP server. */
  readonly orders: { readonly name: string; readonly url: string; readonly token: string };
  readonly approvalTtlS: number;
  readonly maxToolRounds: number;
  readonly teamMaxParallelRuns: number;
  readonly ringJob: (jobId: string) => Promise<void>;
  /** An uploaded file, put where a browser would send it. */
  readonly upload: {
    readonly name: string;
    readonly text: string;
    readonly maxFileBytes: number;
    readonly quotaBytes: number;
    readonly put: (key: string, bytes: Uint8Array) => Promise<void>;
    readonly ring: (jobId: string) => Promise<void>;
  };
}

/** Makes the tools of this version known, without classifying them (POL-4), and the model that configuration names (GW-2). */
export const registerVersion = async (admin: Database, log: Log, model: string): Promise<void> => {
  const system: Ctx<System> = { actor: { kind: "system" }, db: admin, log, requestId: "start" };
  await tools.register(system, NATIVE_TOOLS);
  await models.ensureConfigured(system, model);
};

/**
 * The demo: two teams, a person in each role, a workspace whose repository is connected and tested by the same job a click
 * starts, and a registered MCP server whose tools wait for a classification. Doing it again changes nothing that a person
 * changed since.
 */
export const seedDemo = async (options: SeedOptions): Promise<void> => {
  const { admin, api, log } = options;
  const system: Ctx<System> = { actor: { kind: "system" }, db: admin, log, requestId: "seed" };
  const teamIds = new Map<string, string>();
  for (const name of TEAMS) teamIds.set(name, await teams.ensureTeam(system, name, options.teamMaxParallelRuns));
  const ids = new Map<string, string>();
  for (const person of DEMO_PEOPLE) {
    const userId = await identity.ensureUser(system, {
      name: person.name,
      displayName: person.displayName,
      isPlatformAdmin: person.name === "admin",
      isGlobalApprover: person.name === "global",
    });
    ids.set(person.name, userId);
    const teamId = person.team === null ? undefined : teamIds.get(person.team);
    if (teamId !== undefined) await teams.addMember(system, teamId, userId);
  }
  await tools.acceptSuggestions(system, ids.get("admin") ?? "");

  const owner = human(ids, "owner");
  const asOwner: Ctx<Human> = { actor: owner, db: api, log, requestId: "seed" };
  const mine = await workspaces.list(asOwner);
  if (mine.length > 0) return;
  const created = await workspaces.create(
    asOwner,
    { name: WORKSPACE, description: "The order service and its discount rules.", teamId: teamIds.get("Payments") },
    { approvalTtlS: options.approvalTtlS, maxToolRounds: options.maxToolRounds },
  );
  const inside = await workspaces.enter(asOwner, created.id);
  await workspaces.setMember(inside, ids.get("member") ?? "", "member");
  await workspaces.setMember(inside, ids.get("approver") ?? "", "approver");
  await tools.setActive(inside, "git.propose_change", true);
  const source = await sources.create(
    inside,
    { kind: "git", name: SOURCE, url: options.repositoryUrl, token: options.gitToken, confirmed: true },
    { vault: options.vault, egress: options.egress },
  );
  const job = await sources.requestTest(inside, source.id);
  await options.ringJob(job.id);
  await seedUpload(inside, options);
  const asAdmin: Ctx<Human> = { ...asOwner, actor: { ...human(ids, "admin"), isPlatformAdmin: true } };
  const registered = await mcpServers.register(
    asAdmin,
    { ...options.orders, purpose: "general" },
    { vault: options.vault, egress: options.mcpEgress },
  );
  await options.ringJob(registered.job.id);
};

/** Uploads connected and tested, with one file in them that takes the way of every other (OPS-1). */
const seedUpload = async (ctx: Ctx<Member>, { upload, ringJob }: SeedOptions): Promise<void> => {
  const source = await uploads.connect(ctx, { name: "Uploads", confirmed: true });
  await ringJob((await sources.requestTest(ctx, source.id)).id);
  const bytes = Buffer.from(upload.text);
  const made = await uploads.create(
    ctx,
    { name: upload.name, sizeBytes: bytes.length },
    {
      maxFileBytes: upload.maxFileBytes,
      quotaBytes: upload.quotaBytes,
      sign: async (key) => {
        await upload.put(key, bytes);
        return { method: "PUT", url: "", headers: {} };
      },
    },
  );
  const { jobId } = await uploads.complete(ctx, made.upload.id);
  if (jobId !== null) await upload.ring(jobId);
};

const human = (ids: ReadonlyMap<string, string>, name: string): Human => ({
  kind: "human",
  userId: ids.get(name) ?? "",
  name,
  displayName: name,
  isPlatformAdmin: false,
  isGlobalApprover: false,
  mustChangePassword: false,
});
