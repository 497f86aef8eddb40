/**
 * What a connector's `execute` demands. A value of this type exists only for a call that passed the gate (POL-1):
 * the brand is not exported, and `sealAuthorisedCall` may be imported by the gate alone (held by the architecture test).
 */
declare const authorised: unique symbol;

export interface CallFacts {
  /** Id of the row in `tool_calls`. */
  readonly toolCallId: string;
  readonly toolId: string;
  readonly sourceId: string | null;
  /** Canonical argument JSON: exactly these bytes are executed (APR-2). */
  readonly argsText: string;
  /** The frozen form made by `prepare`, for writes; null for tools without one. */
  readonly form: string | null;
  readonly formVersion: number;
  /** Derived from the approval request, the same at every attempt; null for reads. */
  readonly idempotencyKey: string | null;
}

export interface AuthorisedCall extends CallFacts {
  readonly [authorised]: true;
}

/** Only the gate calls this, after policy and approval checks (DESIGN idea 2). */
export const sealAuthorisedCall = (facts: CallFacts): AuthorisedCall => Object.freeze({ ...facts }) as AuthorisedCall;
