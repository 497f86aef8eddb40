import type { RiskClass } from "@aiw/contract/tools";
import ArrowUpRight from "lucide-solid/icons/arrow-up-right";
import CircleQuestionMark from "lucide-solid/icons/circle-question-mark";
import Database from "lucide-solid/icons/database";
import Eye from "lucide-solid/icons/eye";
import Skull from "lucide-solid/icons/skull";
import { t } from "../i18n/index.ts";
import { Badge, type Icon, type Tone } from "./badge.tsx";

const LOOK: Record<RiskClass, { readonly tone: Tone; readonly icon: Icon }> = {
  read: { tone: "mute", icon: Eye },
  write_internal: { tone: "info", icon: Database },
  write_external: { tone: "warn", icon: ArrowUpRight },
  destructive: { tone: "neg", icon: Skull },
};

/** Risk class of a tool; null: not classified, therefore blocked. */
export const RiskBadge = (props: { readonly risk: RiskClass | null }) => {
  const look = () =>
    props.risk === null ? { tone: "mute" as const, icon: CircleQuestionMark, dashed: true } : LOOK[props.risk];
  return <Badge {...look()}>{t(`risk.${props.risk ?? "unclassified"}`)}</Badge>;
};
