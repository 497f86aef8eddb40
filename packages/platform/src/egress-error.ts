const SENTENCES = {
  address_not_valid: "The address is not a valid URL.",
  scheme_not_allowed: "Only https addresses are allowed here.",
  userinfo_not_allowed: "The address must not contain a user name or password.",
  host_not_allowed: "This host and port are not on the list of allowed hosts.",
  address_not_allowed: "The host leads to an address that must not be reached.",
  redirect_not_allowed: "The server redirects to another address.",
  unreachable: "The server cannot be reached.",
  timeout: "The server did not answer in time.",
  response_too_large: "The answer of the server is larger than allowed.",
} as const;

export type EgressFailure = keyof typeof SENTENCES;

/** Why an outbound request was refused or failed (SRC-3). `host` is what was asked for; never holds credentials. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly code: EgressFailure;
  readonly host: string;
  constructor(code: EgressFailure, host: string, cause?: unknown) {
    super(SENTENCES[code], cause === undefined ? undefined : { cause });
    this.code = code;
    this.host = host;
  }
}
