import { Show } from "solid-js";
import type { StreamState } from "../data/stream.ts";
import { t, timeOfDay } from "../i18n/index.ts";

/** Whether what is shown is the present: live, being reconnected, or as of when. */
export const LiveIndicator = (props: {
  readonly state: StreamState;
  readonly since: number;
  readonly quiet?: boolean | undefined;
}) => {
  const text = (): string => {
    if (props.state === "live") return t("live.live");
    if (props.state === "connecting") return t("live.connecting");
    if (props.state === "reconnecting") return t("live.reconnecting");
    return t("live.offline", { time: timeOfDay(props.since) });
  };
  const dot = (): string => (props.state === "live" ? "bg-pos" : props.state === "connecting" ? "bg-mute" : "bg-warn");
  return (
    <Show when={props.quiet !== true || props.state === "reconnecting" || props.state === "offline"}>
      <span role="status" class="inline-flex items-center gap-1.5 text-meta text-ink-2">
        <span aria-hidden="true" class={`size-2 rounded-full ${dot()}`} />
        {text()}
      </span>
    </Show>
  );
};
