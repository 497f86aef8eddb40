import type { ApprovalDetail, ApprovalSummary } from "@aiw/contract/views";
import { type JSX, Show } from "solid-js";
import { requestLine, requestQuote } from "./request-subject.ts";
import { VisibleText } from "./visible-text-view.tsx";

type Item = ApprovalSummary | ApprovalDetail;

/** The model's words for its change, told apart from what the product says of it. */
export const RequestQuote = (props: { readonly item: Item }): JSX.Element => (
  <Show when={requestQuote(props.item)}>
    {(quote) => (
      <span class="block text-ink-2 [overflow-wrap:anywhere]">
        <VisibleText text={quote()} />
      </span>
    )}
  </Show>
);

/** A request by what it comes to, with the model's words below. */
export const RequestTitle = (props: {
  readonly item: Item;
  readonly short?: boolean;
  readonly class: string;
}): JSX.Element => (
  <>
    <span class={props.class}>
      <VisibleText text={requestLine(props.item, props.short)} />
    </span>
    <RequestQuote item={props.item} />
  </>
);
