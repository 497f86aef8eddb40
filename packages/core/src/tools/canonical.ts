import type { JsonValue } from "@aiw/contract/tools";
import { canonicalize } from "@aiw/policy/canonical";
import { definitionHash } from "@aiw/policy/freeze";

/** How definitions are written and hashed wherever they are pinned (POL-6, RFC 8785). */
export const canonical: { text(value: JsonValue): string; hash(value: JsonValue): string } = {
  text: canonicalize,
  hash: definitionHash,
};
