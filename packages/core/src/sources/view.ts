import type { Source } from "@aiw/contract/views";
import type { Tx } from "@aiw/platform/db";

export interface SourceRow {
  readonly id: string;
  readonly name: string;
  readonly kind: Source["kind"];
  /** Of uploads it is empty. */
  readonly config: { readonly url?: string; readonly branch?: string | null; readonly username?: string | null };
  readonly server_name: string | null;
  readonly server_url: string | null;
  readonly server_removed: boolean;
  readonly server_has_token: boolean;
  readonly status: Source["status"];
  readonly secret_last4: string | null;
  readonly confirmed_by: string;
  readonly confirmer_name: string;
  readonly confirmer_display: string;
  readonly confirmed_at: Date;
  readonly last_test_at: Date | null;
  readonly last_test: Source["lastTest"];
  readonly labels: Source["labels"];
  readonly created_at: Date;
}

/** Connected sources of the workspace by name; one of them when `only` is given. The secret is never read here (SRC-2). */
export async function views(tx: Tx, workspaceId: string, only: string | null): Promise<Source[]> {
  const rows = await tx<SourceRow[]>`
    select s.id, s.kind, s.name, s.config, s.status, v.name as server_name, v.url as server_url, v.removed_at is not null as server_removed, v.secret_last4 is not null as server_has_token, s.secret_last4, s.confirmed_by, u.name as confirmer_name,
           u.display_name as confirmer_display, s.confirmed_at, s.last_test_at, s.last_test,
           jsonb_build_object('environment', s.environment, 'sensitivity', s.sensitivity, 'trust', s.trust) as labels, s.created_at
      from sources s join users u on u.id = s.confirmed_by left join mcp_servers v on v.id = s.server_id
     where s.workspace_id = ${workspaceId} and s.removed_at is null and (${only}::uuid is null or s.id = ${only})
     order by lower(s.name)`;
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    config: {
      url: row.server_url ?? row.config.url ?? "",
      branch: row.config.branch ?? null,
      username: row.config.username ?? null,
      server: row.server_name,
    },
    status: row.server_removed ? "failed" : row.status,
    secretLast4: row.secret_last4,
    usesPlatformToken: row.secret_last4 === null && row.server_has_token && !row.server_removed,
    confirmedBy: { id: row.confirmed_by, name: row.confirmer_name, displayName: row.confirmer_display },
    confirmedAt: row.confirmed_at.toISOString(),
    lastTestAt: row.last_test_at?.toISOString() ?? null,
    lastTest: row.server_removed ? SERVER_REMOVED : row.last_test,
    labels: row.labels,
    createdAt: row.created_at.toISOString(),
  }));
}

/** The platform no longer knows the server: nothing is called there, the workspace's admin disconnects the source. */
const SERVER_REMOVED: Source["lastTest"] = {
  ok: false,
  stages: [{ stage: "address", ok: false, code: "mcp_server_removed" }],
  warnings: [],
};
