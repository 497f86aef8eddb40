import { randomUUID } from "node:crypto";
import { createImporter } from "@aiw/connectors/uploads";
import type { Upload } from "@aiw/contract/uploads";
import * as jobs from "@aiw/core/jobs";
import * as uploads from "@aiw/core/uploads";
import type { IngestDeps } from "@aiw/function-ingest/compose";
import { runJob } from "@aiw/function-ingest/run-job";
import { tidyUploads } from "@aiw/function-sweep/tidy-uploads";
import type { Emulator } from "@aiw/infra/local/emulator";
import { createBucket, ensureBucket, type Bucket } from "@aiw/platform/bucket";
import { FaultError, onPoint, setFaultPlan, wakeHung } from "@aiw/platform/fault";
import { createPresigner, type Presigner } from "@aiw/platform/presign";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startCloud } from "../kit/cloud.ts";
import { type Api, type Client, type Role, startApi } from "./http-fixture.ts";

const REGION = "eu-central-1";
const QUOTA = 3_000_000;
const CSV = "region;amount\nNorth;1.234,50\nSouth;10,00\n";

let cloud: Emulator;
let bucket: Bucket;
let presigner: Presigner;
let api: Api;
let ingest: IngestDeps;
const clients = new Map<Role, Client>();
const as = async (role: Role): Promise<Client> => {
  const known = clients.get(role) ?? (await api.signIn(role));
  clients.set(role, known);
  return known;
};

beforeAll(async () => {
  cloud = await startCloud();
  const place = { region: REGION, bucket: `aiw-uploads-${randomUUID().slice(0, 8)}`, endpoint: cloud.endpoint };
  await ensureBucket(cloud.endpoint, REGION, place.bucket);
  bucket = createBucket(place);
  presigner = createPresigner(place);
  api = await startApi({ uploads: { sign: presigner.put, quotaBytes: QUOTA, maxFileBytes: 1_000_000 } });
  ingest = {
    ctx: { ...api.system, db: api.step },
    bucket,
    importer: createImporter(),
    quotaBytes: QUOTA,
  };
});
afterAll(async () => {
  ingest.importer.close();
  bucket.close();
  presigner.close();
  await api.stop();
  await cloud.stop();
});

let path: string;
beforeEach(async () => {
  for (const { key } of await bucket.list("uploads/")) await bucket.delete(key);
  await api.admin.sql`delete from jobs where kind like 'upload%'`;
  await api.admin.sql`delete from uploads`;
  await api.admin.sql`delete from sources where kind = 'uploads'`;
  path = `/api/workspaces/${api.workspaceId}/uploads`;
  const owner = await as("owner");
  const made = await owner.call("POST", `/api/workspaces/${api.workspaceId}/upload-sources`, {
    name: "Uploads",
    confirmed: true,
  });
  expect(made.status).toBe(201);
});
afterEach(() => setFaultPlan(undefined));

interface Announced {
  readonly upload: Upload;
  readonly target: { readonly url: string; readonly headers: Record<string, string>; readonly method: string };
}

const announce = async (name: string, bytes: number, role: Role = "member"): Promise<Announced> => {
  const answer = await (await as(role)).call("POST", path, { name, sizeBytes: bytes });
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  return answer.body as Announced;
};
const send = async ({ target }: Announced, body: string | Uint8Array): Promise<number> => {
  const sent = await fetch(target.url, { method: target.method, headers: target.headers, body: Buffer.from(body) });
  await sent.arrayBuffer();
  return sent.status;
};
const complete = async ({ upload }: Announced, role: Role = "member") =>
  (await as(role)).call("POST", `${path}/${upload.id}/complete`);
const list = async (role: Role = "member"): Promise<{ items: Upload[]; usedBytes: number }> =>
  (await (await as(role)).call("GET", path)).body;
const the = async (id: string): Promise<Upload | undefined> => (await list()).items.find((one) => one.id === id);
const importJob = async (uploadId: string): Promise<string> => {
  const [job] = await api.admin.sql<{ id: string }[]>`
    select id from jobs where subject_id = ${uploadId} and kind = 'upload_import'`;
  return job?.id ?? "";
};
const objects = async (id?: string): Promise<string[]> =>
  (await bucket.list(`uploads/${api.workspaceId}/`))
    .map(({ key }) => key)
    .filter((key) => id === undefined || key.includes(id));

/** A file as the page sends it, imported. */
const upload = async (name: string, body: string | Uint8Array, role: Role = "member"): Promise<Upload> => {
  const announced = await announce(name, Buffer.byteLength(body), role);
  expect(await send(announced, body)).toBe(200);
  expect((await complete(announced, role)).status).toBe(202);
  await runJob(ingest, await importJob(announced.upload.id));
  const [found] = (await list()).items;
  if (found === undefined) throw new Error("the upload is gone");
  return found;
};

describe("UPL-1 a file becomes a table", () => {
  test("UPL-1 a member announces, sends, and says so; the table has its columns, the original is gone", async () => {
    const made = await upload("Umsätze 2026.csv", CSV);
    expect(made).toMatchObject({
      status: "ready",
      table: "umsaetze_2026",
      rows: 2,
      fault: null,
      dialect: { encoding: "utf-8", delimiter: ";", header: true },
      columns: [
        { name: "region", type: "VARCHAR", examples: ["North", "South"] },
        { name: "amount", type: "DECIMAL(18,2)", examples: ["1.234,50", "10,00"] },
      ],
    });
    const [key, ...rest] = await objects(made.id);
    expect([key, rest]).toEqual([expect.stringMatching(/data-1\.duckdb$/), []]);
    expect((await list()).usedBytes).toBe(made.storedBytes);
  });

  test("UPL-1 SEC-7 the address is signed for this key, this size, this type and a quarter of an hour, and for nothing else", async () => {
    const { target } = await announce("a.csv", 42);
    const url = new URL(target.url);
    expect(url.searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host;if-none-match");
    expect(url.searchParams.get("X-Amz-Expires")).toBe("900");
    const signature = (signed: string): string | null => new URL(signed).searchParams.get("X-Amz-Signature");
    const key = decodeURIComponent(url.pathname).split("/").slice(2).join("/");
    const [same, other] = await Promise.all([presigner.put(key, 42, 900), presigner.put(key, 43, 900)]);
    expect(signature(same.url)).not.toBe(signature(other.url));
  });

  test("UPL-1 a bad file is told with line and column; no object, no table and no room are left of it", async () => {
    const bad = await upload("bad.csv", 'a,b\n1,2\n3,"4\n');
    expect(bad).toMatchObject({
      status: "failed",
      fault: { code: "upload_unclosed_quote", line: 3, column: 2 },
      rows: null,
    });
    expect(await objects(bad.id)).toEqual([]);
    expect((await list()).usedBytes).toBe(0);
    // Its name is free again.
    expect(await upload("bad.csv", CSV)).toMatchObject({ status: "ready", table: "bad" });
  });

  test("UPL-1 what was never sent, or is not what was announced, is told and leaves nothing", async () => {
    const never = await announce("never.csv", 10);
    await complete(never);
    await runJob(ingest, await importJob(never.upload.id));
    expect(await the(never.upload.id)).toMatchObject({ status: "failed", fault: { code: "upload_missing" } });
    // An emulator that checks no signature takes any size; the import looks again.
    const other = await announce("other.csv", 10);
    await bucket.put(uploads.originalKey(api.workspaceId, other.upload.id), Buffer.from(CSV));
    await complete(other);
    await runJob(ingest, await importJob(other.upload.id));
    expect(await the(other.upload.id)).toMatchObject({ status: "failed", fault: { code: "upload_size_differs" } });
    expect(await objects()).toEqual([]);
  });

  test("UPL-1 a page that was closed after sending: the import begins by itself once the address has expired, not before", async () => {
    const sent = await announce("closed.csv", Buffer.byteLength(CSV));
    await send(sent, CSV);
    const jobId = await importJob(sent.upload.id);
    const due = async (): Promise<string[]> => (await jobs.ringDue(api.step, 15)).map(({ id }) => id);
    expect(await due()).not.toContain(jobId);
    await runJob(ingest, jobId);
    expect(await the(sent.upload.id)).toMatchObject({ status: "waiting" });
    await api.shift(1_000);
    expect(await due()).toContain(jobId);
    await runJob(ingest, jobId);
    expect(await the(sent.upload.id)).toMatchObject({ status: "ready", rows: 2 });
  });

  test("SEC-7 N60 names and types that are no file of ours are refused before anything is written", async () => {
    const member = await as("member");
    for (const name of [
      "../../x.csv",
      "C:\\x.csv",
      "a\u0000.csv",
      "a\u202ecsv.csv",
      ".csv",
      "a/b.csv",
      " ",
      `${"x".repeat(230)}.csv`,
    ]) {
      const answer = await member.call("POST", path, { name, sizeBytes: 10 });
      expect([answer.status, name]).toEqual([400, name]);
    }
    for (const name of ["a.xlsx", "a.json", "a.ndjson", "a.log", "a.csv.exe", "csv", "a.html"]) {
      const answer = await member.call("POST", path, { name, sizeBytes: 10 });
      expect([answer.body.code, name]).toEqual(["upload_type", name]);
    }
    const large = await member.call("POST", path, { name: "a.csv", sizeBytes: 1_000_001 });
    expect([large.status, large.body.code]).toEqual([413, "upload_too_large"]);
    expect((await list()).items).toEqual([]);
  });
});

describe("UPL-3 quota, deletion, rights", () => {
  test("UPL-3 N60 the quota is exact while twenty are announced at once", async () => {
    const member = await as("member");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => member.call("POST", path, { name: `f${n}.csv`, sizeBytes: 400_000 })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(["upload_quota"]),
    );
    expect((await list()).usedBytes).toBe(2_800_000);
  });

  test("UPL-3 a table counts with what it takes; one that no longer fits leaves nothing", async () => {
    const announced = await announce("big.csv", Buffer.byteLength(CSV));
    await send(announced, CSV);
    await complete(announced);
    await runJob({ ...ingest, quotaBytes: 1_000 }, await importJob(announced.upload.id));
    expect(await the(announced.upload.id)).toMatchObject({ status: "failed", fault: { code: "upload_quota" } });
    expect(await objects()).toEqual([]);
  });

  test("UPL-3 the uploader or a workspace admin deletes; the objects and the row are really gone", async () => {
    const mine = await upload("mine.csv", CSV);
    expect((await list("approver")).items[0]).toMatchObject({ mayDelete: false });
    expect((await (await as("approver")).call("DELETE", `${path}/${mine.id}`)).status).toBe(403);
    expect((await (await as("outsider")).call("DELETE", `${path}/${mine.id}`)).status).toBe(404);
    expect((await complete({ upload: mine } as Announced, "approver")).status).toBe(403);
    expect((await (await as("owner")).call("DELETE", `${path}/${mine.id}`)).status).toBe(204);
    expect((await list()).items).toEqual([]);
    const [jobId = ""] = api.rungIngest.slice(-1);
    await runJob(ingest, jobId);
    expect(await objects(mine.id)).toEqual([]);
    expect(await api.admin.sql`select 1 from uploads where id = ${mine.id}`).toHaveLength(0);
    const again = await upload("again.csv", CSV);
    expect((await (await as("member")).call("DELETE", `${path}/${again.id}`)).status).toBe(204);
  });

  test("UPL-3 what is deleted while it is imported leaves nothing", async () => {
    const announced = await announce("gone.csv", Buffer.byteLength(CSV));
    await send(announced, CSV);
    await complete(announced);
    const importer = {
      ...ingest.importer,
      run: async (...given: Parameters<IngestDeps["importer"]["run"]>) => {
        const made = await ingest.importer.run(...given);
        await (await as("member")).call("DELETE", `${path}/${announced.upload.id}`);
        await runJob(ingest, api.rungIngest.at(-1) ?? "");
        return made;
      },
    };
    await runJob({ ...ingest, importer }, await importJob(announced.upload.id));
    expect(await objects(announced.upload.id)).toEqual([]);
    expect((await list()).items).toEqual([]);
  });

  test("UPL-3 RUN-1 a removed source takes its uploads with it", async () => {
    const mine = await upload("mine.csv", CSV);
    const { sourceId } = (await (await as("owner")).call("GET", path)).body;
    const before = api.rungIngest.length;
    await (await as("owner")).call("DELETE", `/api/workspaces/${api.workspaceId}/sources/${sourceId}`);
    for (const jobId of api.rungIngest.slice(before)) await runJob(ingest, jobId);
    expect(await objects(mine.id)).toEqual([]);
    expect(await list()).toMatchObject({ items: [], sourceId: null });
    const refused = await (await as("member")).call("POST", path, { name: "a.csv", sizeBytes: 1 });
    expect(refused.body.code).toBe("uploads_not_connected");
  });
});

/** Every gap between two effects of an import and of a deletion (F88, house rule 9). */
const IMPORT_POINTS = ["claim", "load", "head", "fetch", "convert", "put", "record", "drop_original"].map(
  (p) => `ingest.${p}:after`,
);
const REMOVAL_POINTS = ["claim", "list", "delete", "forget"].map((p) => `ingest.${p}:after`);

describe("F88 stopped anywhere, another attempt does the rest, and nothing is left over", () => {
  test.each(IMPORT_POINTS)("F88 an import stopped at %s ends as one table with one object", async (at) => {
    const announced = await announce("crash.csv", Buffer.byteLength(CSV));
    await send(announced, CSV);
    await complete(announced);
    const jobId = await importJob(announced.upload.id);
    setFaultPlan({ rules: [{ at, act: "throw" }] });
    await expect(runJob(ingest, jobId)).rejects.toThrow(FaultError);
    setFaultPlan(undefined);
    await api.shift(400);
    await runJob(ingest, jobId);
    await tidyUploads({ db: api.step, bucket, log: api.system.log }, 0);
    expect(await the(announced.upload.id)).toMatchObject({ status: "ready", rows: 2 });
    const [row] = await api.admin.sql<
      { object_key: string }[]
    >`select object_key from uploads where id = ${announced.upload.id}`;
    expect(await objects(announced.upload.id)).toEqual([row?.object_key]);
  });

  test.each(["ingest.put:before", "ingest.record:before"])(
    "F20 F88 an attempt that stood still at %s and wakes late changes nothing of the table another one made",
    async (at) => {
      const announced = await announce("late.csv", Buffer.byteLength(CSV));
      await send(announced, CSV);
      await complete(announced);
      const jobId = await importJob(announced.upload.id);
      const standing = new Promise<void>((resolve) => {
        const stop = onPoint((point) => {
          if (point !== at) return;
          stop();
          resolve();
        });
      });
      setFaultPlan({ rules: [{ at, act: "hang" }] });
      const late = runJob(ingest, jobId);
      await standing;
      await api.shift(400);
      await runJob(ingest, jobId);
      wakeHung();
      await late;
      const [row] = await api.admin.sql<{ object_key: string }[]>`
        select object_key from uploads where id = ${announced.upload.id}`;
      expect(row?.object_key).toMatch(/data-2\.duckdb$/);
      expect(await objects(announced.upload.id)).toEqual([row?.object_key]);
    },
  );

  test("F13 a file that ends the whole process each time is given up after three attempts, and that is told", async () => {
    const announced = await announce("deadly.csv", Buffer.byteLength(CSV));
    await send(announced, CSV);
    await complete(announced);
    const jobId = await importJob(announced.upload.id);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      setFaultPlan({ rules: [{ at: "ingest.convert:before", act: "throw" }] });
      await expect(runJob(ingest, jobId)).rejects.toThrow(FaultError);
      await api.shift(400);
    }
    setFaultPlan(undefined);
    await runJob(ingest, jobId);
    expect(await the(announced.upload.id)).toMatchObject({ status: "failed", fault: { code: "internal" } });
    expect(await objects(announced.upload.id)).toEqual([]);
  });

  test.each(["ingest.record_fault:before", "ingest.record_fault:after", "ingest.drop_refused:before"])(
    "F88 a refusal stopped at %s is told once, without an object",
    async (at) => {
      const bad = "a,b\n1\n";
      const announced = await announce("bad.csv", bad.length);
      await send(announced, bad);
      await complete(announced);
      const jobId = await importJob(announced.upload.id);
      setFaultPlan({ rules: [{ at, act: "throw" }] });
      await expect(runJob(ingest, jobId)).rejects.toThrow(FaultError);
      setFaultPlan(undefined);
      await api.shift(400);
      await runJob(ingest, jobId);
      await tidyUploads({ db: api.step, bucket, log: api.system.log }, 0);
      expect(await the(announced.upload.id)).toMatchObject({
        status: "failed",
        fault: { code: "upload_columns_differ", line: 2 },
      });
      expect(await objects(announced.upload.id)).toEqual([]);
    },
  );

  test.each(REMOVAL_POINTS)("F88 a deletion stopped at %s still ends without row and object", async (at) => {
    const mine = await upload("mine.csv", CSV);
    await (await as("member")).call("DELETE", `${path}/${mine.id}`);
    const jobId = api.rungIngest.at(-1) ?? "";
    setFaultPlan({ rules: [{ at, act: "throw" }] });
    await expect(runJob(ingest, jobId)).rejects.toThrow(FaultError);
    setFaultPlan(undefined);
    await api.shift(400);
    await runJob(ingest, jobId);
    expect(await objects(mine.id)).toEqual([]);
    expect(await api.admin.sql`select 1 from uploads where id = ${mine.id}`).toHaveLength(0);
  });

  test("F88 objects without a row are swept, once an hour; what is waited for and what is a table stays", async () => {
    const table = await upload("kept.csv", CSV);
    const waiting = await announce("waiting.csv", Buffer.byteLength(CSV));
    await send(waiting, CSV);
    const lost = [
      `uploads/${api.workspaceId}/${randomUUID()}/original`,
      `uploads/${randomUUID()}/${randomUUID()}/data-1.duckdb`,
      `uploads/${api.workspaceId}/${table.id}/data-9.duckdb`,
      `uploads/${api.workspaceId}/${table.id}/original`,
      "uploads/strange",
    ];
    for (const key of lost) await bucket.put(key, Buffer.from("x"));
    const tidy = (everyS: number): Promise<number> =>
      tidyUploads({ db: api.step, bucket, log: api.system.log }, everyS);
    await api.admin.sql`update platform_settings set uploads_tidied_at = '-infinity'`;
    expect(await Promise.all([tidy(3_600), tidy(3_600)]).then((n) => n.toSorted((a, b) => a - b))).toEqual([
      0,
      lost.length,
    ]);
    expect((await bucket.list("uploads/")).map(({ key }) => key).filter((key) => lost.includes(key))).toEqual([]);
    expect(await objects(table.id)).toHaveLength(1);
    expect(await objects(waiting.upload.id)).toHaveLength(1);
  });
});
