import type { PolicyDecision } from "@aiw/contract/tools";
import Ban from "lucide-solid/icons/ban";
import Check from "lucide-solid/icons/check";
import Hourglass from "lucide-solid/icons/hourglass";
import type { JSX } from "solid-js";
import { t } from "../i18n/index.ts";
import { Badge, type Icon, type Tone } from "./badge.tsx";

const LOOK: Readonly<Record<PolicyDecision, { readonly tone: Tone; readonly icon: Icon }>> = {
  allow: { tone: "pos", icon: Check },
  require_approval: { tone: "warn", icon: Hourglass },
  deny: { tone: "hold", icon: Ban },
};

/** What the gate says to a call, as a word. */
export const DecisionBadge = (props: { readonly decision: PolicyDecision }): JSX.Element => (
  <Badge {...LOOK[props.decision]}>{t(`decision.${props.decision}`)}</Badge>
);
