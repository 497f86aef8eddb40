import type { CallStatus, RequestStatus, RunStatus } from "@aiw/contract/runs";
import Ban from "lucide-solid/icons/ban";
import Bot from "lucide-solid/icons/bot";
import Check from "lucide-solid/icons/check";
import CircleAlert from "lucide-solid/icons/circle-alert";
import Clock from "lucide-solid/icons/clock";
import FileExclamationPoint from "lucide-solid/icons/file-exclamation-point";
import Hourglass from "lucide-solid/icons/hourglass";
import LoaderCircle from "lucide-solid/icons/loader-circle";
import Lock from "lucide-solid/icons/lock";
import MessageCircleQuestionMark from "lucide-solid/icons/message-circle-question-mark";
import Send from "lucide-solid/icons/send";
import ShieldAlert from "lucide-solid/icons/shield-alert";
import TimerOff from "lucide-solid/icons/timer-off";
import X from "lucide-solid/icons/x";
import { t } from "../i18n/index.ts";
import { Badge, type Icon, type Tone } from "./badge.tsx";

interface Look {
  readonly tone: Tone;
  readonly icon: Icon;
  readonly outline?: boolean;
  readonly spin?: boolean;
}

const RUN: Record<RunStatus, Look> = {
  queued: { tone: "mute", icon: Clock },
  running: { tone: "info", icon: LoaderCircle, spin: true },
  waiting_approval: { tone: "warn", icon: Hourglass },
  waiting_input: { tone: "warn", icon: MessageCircleQuestionMark },
  completed: { tone: "pos", icon: Check },
  failed: { tone: "neg", icon: X },
  cancelled: { tone: "mute", icon: Ban },
  blocked_by_guardrail: { tone: "hold", icon: ShieldAlert },
  needs_reconciliation: { tone: "neg", icon: CircleAlert, outline: true },
};

const REQUEST: Record<RequestStatus, Look> = {
  pending: { tone: "warn", icon: Hourglass },
  approved: { tone: "info", icon: Check },
  executing: { tone: "info", icon: LoaderCircle, spin: true },
  executed: { tone: "pos", icon: Check },
  rejected: { tone: "neg", icon: X, outline: true },
  expired: { tone: "mute", icon: TimerOff },
  cancelled: { tone: "mute", icon: Ban },
  invalid: { tone: "hold", icon: FileExclamationPoint },
  failed: { tone: "neg", icon: X },
  unknown: { tone: "neg", icon: CircleAlert, outline: true },
};

const CALL: Record<CallStatus, Look> = {
  pending: { tone: "mute", icon: Clock },
  waiting: { tone: "warn", icon: Hourglass },
  executing: { tone: "info", icon: LoaderCircle, spin: true },
  executed: { tone: "pos", icon: Check },
  rejected: { tone: "neg", icon: X, outline: true },
  expired: { tone: "mute", icon: TimerOff },
  cancelled: { tone: "mute", icon: Ban },
  invalid: { tone: "hold", icon: FileExclamationPoint },
  denied: { tone: "hold", icon: Lock },
  failed: { tone: "neg", icon: X },
  unknown: { tone: "neg", icon: CircleAlert, outline: true },
  submitted: { tone: "info", icon: Send },
};

/** State of a run, with the same word wherever it stands. */
export const RunBadge = (props: { readonly status: RunStatus }) => (
  <Badge {...RUN[props.status]}>{t(`run.${props.status}`)}</Badge>
);

/** State of a request; one that no person decided says so. */
export const RequestBadge = (props: { readonly status: RequestStatus; readonly byPolicy?: boolean | undefined }) => {
  const policy = (): boolean => props.byPolicy === true && props.status === "executed";
  return (
    <Badge {...(policy() ? { tone: "pos" as const, icon: Bot, outline: true } : REQUEST[props.status])}>
      {policy() ? t("request.byPolicy") : t(`request.${props.status}`)}
    </Badge>
  );
};

/** State of one tool call. */
export const CallBadge = (props: { readonly status: CallStatus; readonly asksForInput?: boolean | undefined }) => {
  const input = (): boolean => props.asksForInput === true && props.status === "waiting";
  return (
    <Badge {...(input() ? RUN.waiting_input : CALL[props.status])}>
      {input() ? t("run.waiting_input") : t(`call.${props.status}`)}
    </Badge>
  );
};
