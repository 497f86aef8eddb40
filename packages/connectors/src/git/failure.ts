import { Problem, type ProblemCode } from "@aiw/contract/problem";

/** The codes a Git source can fail with (contract/problem). */
export type GitFailureCode = Extract<ProblemCode, `source_${string}`>;

/**
 * Something the Git server, the network or the source's settings did not allow. `detail` is one English sentence for the
 * model and the log: no secrets, nothing the server sent apart from a status.
 */
export class GitFailure extends Problem {
  declare readonly code: GitFailureCode;
  readonly detail: string;
  /** A request may have reached the server before this failed; decides between "refused" and "unknown" (RUN-7). */
  readonly sent: boolean;
  constructor(code: GitFailureCode, detail: string, options: { sent?: boolean; cause?: unknown } = {}) {
    super(code, { cause: options.cause });
    this.name = "GitFailure";
    this.detail = detail;
    this.sent = options.sent ?? false;
  }
}

/** A request by the model that cannot be done as asked. The message is the tool's answer, written for the model. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
