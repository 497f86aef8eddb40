import type { Component, JSX } from "solid-js";
import { Dynamic } from "solid-js/web";

export type Tone = "mute" | "info" | "warn" | "pos" | "neg" | "hold";
export type Icon = Component<{ size?: number | string; class?: string; "aria-hidden"?: boolean | "true" }>;

const filled: Record<Tone, string> = {
  mute: "bg-mute-bg text-mute",
  info: "bg-info-bg text-info",
  warn: "bg-warn-bg text-warn",
  pos: "bg-pos-bg text-pos",
  neg: "bg-neg-bg text-neg",
  hold: "bg-hold-bg text-hold",
};
const outlined: Record<Tone, string> = {
  mute: "border-mute text-mute",
  info: "border-info text-info",
  warn: "border-warn text-warn",
  pos: "border-pos text-pos",
  neg: "border-neg text-neg",
  hold: "border-hold text-hold",
};

/** Icon, word and colour together: no state is told by hue alone. */
export const Badge = (props: {
  readonly tone: Tone;
  readonly icon: Icon;
  readonly outline?: boolean | undefined;
  readonly dashed?: boolean | undefined;
  readonly spin?: boolean | undefined;
  readonly children: JSX.Element;
}) => (
  <span
    class={`badge ${props.outline === true ? outlined[props.tone] : filled[props.tone]} ${props.dashed === true ? "border-dashed border-current" : ""}`}
  >
    <Dynamic component={props.icon} size={13} class={props.spin === true ? "animate-spin" : ""} aria-hidden="true" />
    {props.children}
  </span>
);
