import type { Person as PersonView } from "@aiw/contract/views";
import { VisibleText } from "./visible-text-view.tsx";
import { visibleString } from "./visible-text.ts";

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((part) => /[\p{L}\p{N}]/u.exec(part)?.[0].toUpperCase() ?? "")
    .join("");

/** A person by display name; the sign-in name on hover. */
export const Person = (props: { readonly person: PersonView; readonly class?: string | undefined }) => (
  <span
    class={`inline-flex min-w-0 items-center gap-1.5 ${props.class ?? ""}`}
    title={visibleString(props.person.name)}
  >
    <span
      aria-hidden="true"
      class="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-mute-bg text-[0.625rem] font-semibold text-mute"
    >
      {initials(props.person.displayName)}
    </span>
    <span class="truncate">
      <VisibleText text={props.person.displayName} />
    </span>
  </span>
);
