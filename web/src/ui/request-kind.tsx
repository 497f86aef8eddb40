import type { ApprovalSummary } from "@aiw/contract/views";
import FileExclamationPoint from "lucide-solid/icons/file-exclamation-point";
import MessageCircleQuestionMark from "lucide-solid/icons/message-circle-question-mark";
import { type JSX, Show } from "solid-js";
import { t } from "../i18n/index.ts";
import { Badge } from "./badge.tsx";
import { RiskBadge } from "./risk-badge.tsx";

/** What a request is about: a text that is asked for (APR-9), or a call of this risk; and that its target changed (APR-19). */
export const RequestKind = (props: {
  readonly item: Pick<ApprovalSummary, "responseLabel" | "riskClass" | "status" | "stale">;
}): JSX.Element => (
  <>
    <Show when={props.item.responseLabel === null} fallback={<InputBadge />}>
      <RiskBadge risk={props.item.riskClass} />
    </Show>
    <Show when={props.item.status === "pending" && props.item.stale}>
      <Badge tone="hold" icon={FileExclamationPoint}>
        {t("request.stale")}
      </Badge>
    </Show>
  </>
);

const InputBadge = (): JSX.Element => (
  <Badge tone="info" icon={MessageCircleQuestionMark}>
    {t("request.input")}
  </Badge>
);
