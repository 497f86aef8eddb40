import git from "isomorphic-git";
import { Problem, type ProblemCode } from "@aiw/contract/problem";
import { FaultError } from "@aiw/platform/fault";

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

/**
 * What an operation of the Git library failed with. Whatever it stumbles over came from the server, so that is a failure
 * of the source; `clean` hides secrets in what the server said. Planned faults are thrown on.
 */
export const asGitFailure = (error: unknown, clean: (serverText: string) => string): GitFailure => {
  if (error instanceof GitFailure) return error;
  if (error instanceof FaultError) throw error;
  if (error instanceof git.Errors.ParseError && error.data.actual.startsWith("ERR ")) {
    return new GitFailure("source_not_found", clean(error.data.actual.slice(4)), { cause: error });
  }
  return new GitFailure("source_protocol", "The server did not answer as a Git server.", { cause: error });
};
