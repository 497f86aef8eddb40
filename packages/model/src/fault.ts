import { code, fields, isFields, list, parseJson, text } from "./wire.ts";

/** What a gateway said about a failure, read from whichever envelope it uses. */
export interface GatewayFault {
  readonly status: number | undefined;
  /** Every code found, the most specific last: `error.code`, then `innererror.code`. */
  readonly codes: readonly string[];
  readonly type: string | undefined;
  readonly message: string;
  readonly body: unknown;
  readonly rawBody: string;
  readonly headers: Headers | undefined;
  /** Tells the rules whether the answer had already begun. */
  readonly midStream: boolean;
}

/** Carries a failed HTTP answer through the SDK, which would lose parts of it. The message must not mention time limits. */
export class GatewayAnswerError extends Error {
  readonly fault: GatewayFault;
  /** Answered 2xx, but not with the stream that was asked for. */
  readonly notAStream: boolean;
  constructor(fault: GatewayFault, notAStream: boolean) {
    super("gateway answer was not usable");
    this.name = "GatewayAnswerError";
    this.fault = fault;
    this.notAStream = notAStream;
  }
}

/**
 * Reads an error body of any known dialect: `{error:{...}}`, `{error:[{code,message}]}`, `{error:"text"}`,
 * `{code,type,message}`, plain text or HTML. Never throws.
 */
export function readFault(input: {
  status?: number | undefined;
  rawBody: string;
  headers?: Headers | undefined;
  midStream?: boolean;
}): GatewayFault {
  const body = parseJson(input.rawBody);
  const error = envelope(body);
  const codes = [code(error["code"]), code(fields(error["innererror"])["code"])].filter((each) => each !== undefined);
  return {
    status: input.status,
    codes,
    type: code(error["type"]),
    message: messageOf(
      error["message"] ?? error["detail"] ?? error["reason"] ?? (isFields(body) ? undefined : plain(input.rawBody)),
    ),
    body,
    rawBody: input.rawBody,
    headers: input.headers,
    midStream: input.midStream ?? false,
  };
}

function envelope(body: unknown) {
  const outer = fields(body);
  const inner = outer["error"] ?? list(outer["errors"])[0];
  if (typeof inner === "string") return { ...outer, message: text(outer["message"]) ?? inner };
  const first = Array.isArray(inner) ? inner[0] : inner;
  return isFields(first) ? first : outer;
}

/** Some gateways put an object where the sentence belongs; the most telling string in it is taken. */
function messageOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isFields(value)) return "";
  for (const key of ["error", "message", "actionReason", "reason"]) {
    const found = text(value[key]);
    if (found) return found;
  }
  return JSON.stringify(value);
}

/** An HTML error page says nothing a person should read. */
const plain = (body: string): string => (/^\s*</.test(body) ? "" : body);
