import { callContext, opened, partContext, responseContext, SEALED, type RequestPart } from "@aiw/core/approvals";
import type {
  CallUpdate,
  ClaimedRun,
  LoadedItem,
  LoadedRun,
  NewCall,
  NewExecution,
  NewItem,
  NewRequest,
  StepOutcome,
} from "@aiw/core/runs";
import { sha256Hex } from "@aiw/policy/freeze";
import type { Vault } from "@aiw/platform/vault";
import { maskOf, type Mask } from "./mask.ts";

const itemContext = (runId: string, step: number, kind: LoadedItem["kind"]): string => `item:${runId}:${step}:${kind}`;

/** What a step has loaded with everything opened that was sealed, and the mask for all that it says (APR-10). */
export const unseal = async (
  vault: Vault,
  run: Pick<ClaimedRun, "id">,
  loaded: LoadedRun,
): Promise<{ readonly loaded: LoadedRun; readonly mask: Mask }> => {
  const answers = await Promise.all(loaded.secrets.map((s) => vault.open(s.response, responseContext(s.approvalId))));
  const mask = maskOf(answers);
  if (mask.idle) return { loaded, mask };
  const args = (approvalId: string, text: string): Promise<string> =>
    opened(vault, text, partContext(approvalId, "args"));
  return {
    mask,
    loaded: {
      ...loaded,
      calls: await Promise.all(
        loaded.calls.map(async (c) => ({ ...c, args: await opened(vault, c.args, callContext(c.id)) })),
      ),
      approvals: await Promise.all(
        loaded.approvals.map(async (a) => ({ ...a, argsText: await args(a.id, a.argsText) })),
      ),
      staged: await Promise.all(loaded.staged.map(async (a) => ({ ...a, argsText: await args(a.id, a.argsText) }))),
      items: await Promise.all(
        loaded.items.map(async (i) => ({
          ...i,
          data: await opened(vault, i.data, itemContext(i.runId, i.step, i.kind)),
        })),
      ),
    },
  };
};

/**
 * What a step wants to have happened, as it may be stored: texts masked; the model's items and the bytes that will be executed
 * sealed where they hold a sensitive answer, with what may be shown of them beside (APR-10).
 */
export const sealOutcome = async (
  vault: Vault,
  mask: Mask,
  run: Pick<ClaimedRun, "id" | "step">,
  outcome: StepOutcome,
): Promise<StepOutcome> => {
  if (mask.idle) return outcome;
  const seal = async (text: string, context: string): Promise<string> =>
    mask.hides(text) ? `${SEALED}${await vault.seal(text, context)}` : text;
  const item = async (i: NewItem): Promise<NewItem> => ({
    ...i,
    data: await seal(i.data, itemContext(run.id, run.step, i.kind)),
  });
  const call = async (c: NewCall): Promise<NewCall> => {
    const shown = {
      note: c.note === null ? null : mask.text(c.note),
      // A tool that is not known is called what the model wrote.
      ...(c.toolId === null ? { wireName: mask.text(c.wireName) } : {}),
      ...maskedResult(mask, c),
    };
    if (!mask.hides(c.args)) return { ...c, ...shown };
    const argsShown = mask.json(c.args);
    // A hash of what is hidden would let somebody try the few answers there are.
    return { ...c, ...shown, args: await seal(c.args, callContext(c.id)), argsShown, argsHash: sha256Hex(argsShown) };
  };
  const execution = async (x: NewExecution): Promise<NewExecution> => ({
    ...x,
    title: mask.text(x.title),
    explanation: mask.value(x.explanation),
    ...(mask.hides(x.args)
      ? { args: await seal(x.args, callContext(x.toolCallId)), argsShown: mask.json(x.args) }
      : {}),
    item: await seal(x.item, itemContext(x.runId, 0, "function_call")),
  });
  const request = async (a: NewRequest): Promise<NewRequest> => {
    const masked = {
      ...a,
      title: mask.text(a.title),
      explanation: mask.json(a.explanation),
      modelNote: a.modelNote === null ? null : mask.text(a.modelNote),
    };
    const { args, form, preview, preconditions, snapshot } = a;
    if (![args, form, preview, preconditions, snapshot].some(mask.hides)) return masked;
    const part = (text: string, name: RequestPart): Promise<string> => seal(text, partContext(a.id, name));
    return {
      ...masked,
      args: await part(args, "args"),
      form: await part(form, "form"),
      preview: await part(preview, "preview"),
      preconditions: await part(preconditions, "preconditions"),
      snapshot: await part(snapshot, "snapshot"),
      shown: JSON.stringify({
        args: mask.json(args),
        preview: mask.json(preview),
        preconditions: mask.json(preconditions),
      }),
    };
  };
  const { message, errorText } = outcome;
  return {
    ...outcome,
    ...(errorText === undefined ? {} : { errorText: mask.text(errorText) }),
    ...(message === undefined ? {} : { message: { ...message, text: mask.text(message.text) } }),
    items: await all(outcome.items, item),
    calls: await all(outcome.calls, call),
    callUpdates: (outcome.callUpdates ?? []).map((u) => maskedUpdate(mask, u)),
    children: await all(outcome.children, async (c) => ({
      ...c,
      title: mask.text(c.title),
      item: await seal(c.item, itemContext(c.runId, 0, "user")),
    })),
    questions: (outcome.questions ?? []).map((q) => ({ ...q, text: mask.text(q.text) })),
    executions: await all(outcome.executions, execution),
    requests: await all(outcome.requests, request),
    settles: (outcome.settles ?? []).map((s) => ({
      ...s,
      ...maskedResult(mask, s),
      ...(s.facts === undefined ? {} : { facts: mask.value(s.facts) }),
      event: mask.event(s.event),
      audit: mask.audit(s.audit),
    })),
    unprepared: (outcome.unprepared ?? []).map((u) => ({
      ...u,
      event: mask.event(u.event),
      audit: mask.audit(u.audit),
    })),
    events: (outcome.events ?? []).map(mask.event),
    audit: (outcome.audit ?? []).map(mask.audit),
  };
};

const all = <T>(list: readonly T[] | undefined, change: (one: T) => Promise<T>): Promise<T[]> =>
  Promise.all((list ?? []).map(change));

const maskedResult = (mask: Mask, of: { readonly result?: string }): { readonly result?: string } =>
  of.result === undefined ? {} : { result: mask.text(of.result) };

export const maskedUpdate = (mask: Mask, update: CallUpdate): CallUpdate => ({
  ...update,
  ...maskedResult(mask, update),
  ...(update.explanation === undefined ? {} : { explanation: mask.value(update.explanation) }),
});
