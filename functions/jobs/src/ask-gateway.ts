import type { ModelTest } from "@aiw/contract/models";
import type { ClaimedJob } from "@aiw/core/jobs";
import * as jobs from "@aiw/core/jobs";
import * as models from "@aiw/core/models";
import type { Gateway } from "@aiw/model/gateway";
import { ModelError } from "@aiw/model/turn";
import { deadline } from "@aiw/platform/deadline";
import { fp } from "@aiw/platform/fault";
import { activeGuardrails } from "@aiw/policy/guardrail-map";
import type { JobsDeps } from "./compose.ts";

const LIMIT_MS = 45_000;

/** Asks a gateway which models it has and records the list, or why there is none (GW-2). */
export async function importModels(deps: JobsDeps, job: ClaimedJob): Promise<void> {
  await withGateway(deps, job, async (gateway) => {
    const found = await fp("gateway.list", () => list(gateway));
    await fp("gateway.keep_list", () => models.recordImport(deps.ctx, job, found));
  });
}

async function list(gateway: Opened): Promise<Parameters<typeof models.recordImport>[2]> {
  try {
    const listed = await gateway.open().listModels(deadline(LIMIT_MS));
    return { names: listed.map(({ id }) => id) };
  } catch (error) {
    return known(error);
  }
}

/** A tiny turn with the key all teams share, and its result with the time it took (GW-2). */
export async function testModel(deps: JobsDeps, job: ClaimedJob): Promise<void> {
  await withGateway(deps, job, async (gateway) => {
    const result = await fp("gateway.turn", () => tinyTurn(gateway));
    await fp("gateway.keep_test", () => models.recordTest(deps.ctx, job, result));
  });
}

/** Enough for a model that thinks before it answers. */
const MAX_TOKENS = 512;

async function tinyTurn({ open, model }: Opened): Promise<ModelTest> {
  const began = performance.now();
  const passed = (): number => Math.round(performance.now() - began);
  let firstTextMs: number | null = null;
  try {
    const turn = open().turn(
      {
        model: model?.name ?? "",
        instructions: "This is a test of the connection. Answer with the single word ok.",
        items: [{ type: "message", role: "user", content: "ok?" }],
        tools: [],
        maxOutputTokens: MAX_TOKENS,
        stream: model?.streaming ?? true,
      },
      deadline(LIMIT_MS),
    );
    for await (const event of turn) if (event.type === "delta") firstTextMs ??= passed();
    return { ok: true, code: null, message: null, firstTextMs, totalMs: passed() };
  } catch (error) {
    return { ok: false, ...known(error), firstTextMs, totalMs: passed() };
  }
}

/** What a gateway did is the result; anything else is a fault of ours and goes on up. */
function known(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof ModelError)) throw error;
  if (error.kind === "aborted")
    return { code: "turn_timeout", message: `The model gateway did not answer within ${LIMIT_MS / 1000} seconds.` };
  return { code: models.storable(error.code), message: models.storable(error.message) };
}

interface Opened {
  readonly open: () => Gateway;
  readonly model: { readonly name: string; readonly streaming: boolean } | null;
}

/** Runs `work` with the gateway the job names; a fault of ours ends the job as failed, so that the click can be repeated. */
async function withGateway(deps: JobsDeps, job: ClaimedJob, work: (gateway: Opened) => Promise<void>): Promise<void> {
  const { ctx } = deps;
  const target = await fp("gateway.load", () => models.forWork(ctx, job));
  if (target === null) {
    await fp("gateway.gone", () => jobs.fail(ctx, job, "not_found"));
    return;
  }
  try {
    const { url, api, model, key } = target;
    const context = models.keyContext(target.endpointId, null);
    const apiKey = key === null ? null : await fp("gateway.secret", () => deps.vault.open(key, context));
    const guardrails = activeGuardrails(target.guardrails);
    await work({ model, open: () => deps.gateways.open({ url, api, apiKey, guardrails }) });
  } catch (error) {
    ctx.log.error("a gateway could not be asked", { jobId: job.id, endpointId: target.endpointId, error });
    await fp("gateway.fail", () => jobs.fail(ctx, job, "internal"));
  }
}
