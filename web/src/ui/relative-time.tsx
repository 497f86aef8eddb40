import { useNow } from "../data/clock.ts";
import { ago, exactTime } from "../i18n/index.ts";

/** How long ago, with the exact time on hover. */
export const RelativeTime = (props: { readonly at: string; readonly class?: string | undefined }) => {
  const now = useNow();
  return (
    <time datetime={props.at} title={exactTime(props.at)} class={`num whitespace-nowrap ${props.class ?? ""}`}>
      {ago(props.at, now())}
    </time>
  );
};
