import { For, type JSX } from "solid-js";

export interface TabLink {
  readonly id: string;
  readonly label: string;
  readonly href: string;
}

/**
 * Views of one page as links: the choice lives in the address, so that back and reload keep it. Plain links, because
 * the router's own mark the current one by path and would mark all of these.
 */
export const TabLinks = (props: {
  readonly label: string;
  readonly links: readonly TabLink[];
  readonly current: string;
}): JSX.Element => (
  <nav class="flex flex-wrap gap-1" aria-label={props.label}>
    <For each={props.links}>
      {(link) => (
        <a
          href={link.href}
          ref={(element) => element.setAttribute("noscroll", "")}
          aria-current={props.current === link.id ? "page" : undefined}
          class={`btn btn-sm ${props.current === link.id ? "border-accent text-accent-ink" : "btn-quiet"}`}
        >
          {link.label}
        </a>
      )}
    </For>
  </nav>
);
