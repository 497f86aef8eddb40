import type { AdminModel, ModelAdministration, ModelDefaults, ModelEndpoint } from "@aiw/contract/models";
import { Problem } from "@aiw/contract/problem";
import type { Tx } from "@aiw/platform/db";

interface ModelRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly name: string;
  readonly display_name: string;
  readonly class: AdminModel["class"];
  readonly tools: boolean;
  readonly streaming: boolean;
  readonly context_window: number | null;
  readonly price_in: number | null;
  readonly price_cached_in: number | null;
  readonly price_out: number | null;
  readonly active: boolean;
  readonly version: number;
  readonly testing: boolean;
  readonly last_test_at: Date | null;
  readonly last_test: AdminModel["lastTest"];
}

/** Models by gateway and name, active ones first; one of them when `only` is given. */
export async function modelViews(tx: Tx, only: string | null): Promise<AdminModel[]> {
  const rows = await tx<ModelRow[]>`
    select m.id, m.endpoint_id, m.name, m.display_name, m.class, m.tools, m.streaming, m.context_window, m.price_in::float8 as price_in,
           m.price_cached_in::float8 as price_cached_in, m.price_out::float8 as price_out, m.active, m.version, m.last_test_at, m.last_test,
           exists (select from jobs j where j.workspace_id is null and j.kind = 'model_test' and j.subject_id = m.id
                     and j.status in ('queued', 'running')) as testing
      from models m join model_endpoints e on e.id = m.endpoint_id
     where m.removed_at is null and e.removed_at is null and (${only}::uuid is null or m.id = ${only})
     order by m.active desc, lower(m.display_name), m.id`;
  return rows.map((row) => ({
    id: row.id,
    endpointId: row.endpoint_id,
    name: row.name,
    displayName: row.display_name,
    class: row.class,
    tools: row.tools,
    streaming: row.streaming,
    contextWindow: row.context_window,
    priceIn: row.price_in,
    priceCachedIn: row.price_cached_in,
    priceOut: row.price_out,
    active: row.active,
    version: row.version,
    testing: row.testing,
    lastTestAt: row.last_test_at?.toISOString() ?? null,
    lastTest: row.last_test,
  }));
}

interface EndpointRow {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
  readonly api: ModelEndpoint["api"];
  readonly importing: boolean;
  readonly last_import_at: Date | null;
  readonly last_import: ModelEndpoint["lastImport"];
}

interface KeyRow {
  readonly endpoint_id: string;
  readonly team_id: string | null;
  readonly team_name: string | null;
  readonly secret_last4: string;
  readonly changed_at: Date;
  readonly changed_by: string;
  readonly changer_name: string;
  readonly changer_display: string;
}

/** Gateways in the order in which they were added; one of them when `only` is given. The keys themselves are never read here. */
export async function endpointViews(tx: Tx, only: string | null): Promise<ModelEndpoint[]> {
  const rows = await tx<EndpointRow[]>`
    select e.id, e.name, e.url, e.api, e.last_import_at, e.last_import,
           exists (select from jobs j where j.workspace_id is null and j.kind = 'model_import' and j.subject_id = e.id
                     and j.status in ('queued', 'running')) as importing
      from model_endpoints e where e.removed_at is null and (${only}::uuid is null or e.id = ${only}) order by e.created_at, e.id`;
  const keys = await tx<KeyRow[]>`
    select k.endpoint_id, k.team_id, t.name as team_name, k.secret_last4, k.changed_at, k.changed_by, u.name as changer_name,
           u.display_name as changer_display
      from model_keys k join users u on u.id = k.changed_by left join teams t on t.id = k.team_id
     where ${only}::uuid is null or k.endpoint_id = ${only} order by lower(t.name)`;
  return rows.map((row) => {
    const own = keys.filter((key) => key.endpoint_id === row.id);
    const shared = own.find((key) => key.team_id === null);
    return {
      id: row.id,
      name: row.name,
      url: row.url,
      api: row.api,
      sharedKey: shared === undefined ? null : toMark(shared),
      teamKeys: own.flatMap((key) =>
        key.team_id === null ? [] : [{ ...toMark(key), teamId: key.team_id, teamName: key.team_name ?? "" }],
      ),
      importing: row.importing,
      lastImportAt: row.last_import_at?.toISOString() ?? null,
      lastImport: row.last_import,
    };
  });
}

const toMark = (key: KeyRow) => ({
  last4: key.secret_last4,
  changedAt: key.changed_at.toISOString(),
  changedBy: { id: key.changed_by, name: key.changer_name, displayName: key.changer_display },
});

/** @throws Problem not_found */
export async function endpointView(tx: Tx, endpointId: string): Promise<ModelEndpoint> {
  const [view] = await endpointViews(tx, endpointId);
  if (view === undefined) throw new Problem("not_found");
  return view;
}

/** @throws Problem not_found */
export async function modelView(tx: Tx, modelId: string): Promise<AdminModel> {
  const [view] = await modelViews(tx, modelId);
  if (view === undefined) throw new Problem("not_found");
  return view;
}

export async function defaultsOf(tx: Tx): Promise<ModelDefaults> {
  const rows = await tx<{ class: keyof ModelDefaults; model_id: string }[]>`select class, model_id from model_defaults`;
  const of = (wanted: keyof ModelDefaults): string | null => rows.find((row) => row.class === wanted)?.model_id ?? null;
  return { fast: of("fast"), standard: of("standard"), thorough: of("thorough") };
}

export async function administration(tx: Tx): Promise<ModelAdministration> {
  return {
    endpoints: await endpointViews(tx, null),
    models: await modelViews(tx, null),
    defaults: await defaultsOf(tx),
  };
}
