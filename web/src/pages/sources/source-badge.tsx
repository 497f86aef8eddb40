import type { Source } from "@aiw/contract/views";
import Check from "lucide-solid/icons/check";
import CircleDashed from "lucide-solid/icons/circle-dashed";
import X from "lucide-solid/icons/x";
import type { JSX } from "solid-js";
import { sources as t } from "../../i18n/sources.ts";
import { Badge, type Icon, type Tone } from "../../ui/badge.tsx";

const LOOK: Readonly<
  Record<Source["status"], { readonly tone: Tone; readonly icon: Icon; readonly dashed?: boolean }>
> = {
  untested: { tone: "mute", icon: CircleDashed, dashed: true },
  tested: { tone: "pos", icon: Check },
  failed: { tone: "neg", icon: X },
};

/** Whether a source counts: only a tested one does (SRC-2). */
export const SourceBadge = (props: { readonly status: Source["status"] }): JSX.Element => (
  <Badge {...LOOK[props.status]}>{t(`status.${props.status}`)}</Badge>
);
