import { For, type JSX, Match, Switch } from "solid-js";
import { Hash } from "../../ui/hash.tsx";
import { VisibleText } from "../../ui/visible-text-view.tsx";
import { factLink, factText, isHash } from "./decision-model.ts";

export const FactValue = (props: { readonly value: unknown }): JSX.Element => (
  <Switch
    fallback={
      <span class="font-mono text-meta [overflow-wrap:anywhere]">
        <VisibleText text={factText(props.value)} />
      </span>
    }
  >
    <Match when={isHash(props.value) ? String(props.value) : undefined}>{(hash) => <Hash value={hash()} />}</Match>
    <Match when={factLink(props.value)}>
      {(url) => (
        <a class="link [overflow-wrap:anywhere]" href={url()} target="_blank" rel="noopener noreferrer nofollow">
          {url()}
        </a>
      )}
    </Match>
  </Switch>
);

/** Names and values as a list: hashes shortened with a copy button, web addresses as links, everything else as text. */
export const FactList = (props: {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly label: (key: string) => string;
}): JSX.Element => (
  <dl class="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1">
    <For each={Object.entries(props.facts)}>
      {(entry) => (
        <>
          <dt class="text-ink-2">{props.label(entry[0])}</dt>
          <dd class="min-w-0">
            <FactValue value={entry[1]} />
          </dd>
        </>
      )}
    </For>
  </dl>
);
