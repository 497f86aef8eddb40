import { CopyButton } from "./copy-button.tsx";

/** A hash or id in its first digits, whole on hover and by the copy button. */
export const Hash = (props: {
  readonly value: string;
  readonly digits?: number | undefined;
  readonly label?: string | undefined;
}) => (
  <span class="inline-flex items-center gap-0.5">
    <code class="mono" title={props.value}>
      {props.value.slice(0, props.digits ?? 12)}
    </code>
    <CopyButton text={props.value} small label={props.label} />
  </span>
);
