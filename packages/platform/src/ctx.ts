import type { Database } from "./db.ts";
import type { Log } from "./log.ts";

/**
 * What every verb takes first: who acts and with which technical edges. There is no ambient context; rights are
 * asserted from `actor`, never from input (DESIGN idea 1).
 */
export interface Ctx<Actor> {
  readonly actor: Actor;
  readonly db: Database;
  readonly log: Log;
  /** Id of the request or message that caused this, for logs and problem details. */
  readonly requestId: string;
}

/** The same context for another actor, such as a person who entered a workspace. */
export const withActor = <Actor>(ctx: Ctx<unknown>, actor: Actor): Ctx<Actor> => ({ ...ctx, actor });
