import { serverNow, useNow } from "../data/clock.ts";
import { exactTime, t, timeLeft } from "../i18n/index.ts";

/**
 * Time left until a deadline of the server; tinted below an hour and below ten minutes.
 * Not a live region: a screen reader reads it when it comes by, not every second.
 */
export const Countdown = (props: { readonly until: string; readonly class?: string | undefined }) => {
  const now = useNow();
  const left = (): number => Date.parse(props.until) - Math.max(now(), serverNow());
  const tone = (): string => (left() < 600_000 ? "text-neg" : left() < 3_600_000 ? "text-warn" : "text-ink-2");
  return (
    <time
      datetime={props.until}
      title={exactTime(props.until)}
      class={`num whitespace-nowrap ${tone()} ${props.class ?? ""}`}
    >
      {left() <= 0 ? t("over") : t("left", { time: timeLeft(left()) })}
    </time>
  );
};
