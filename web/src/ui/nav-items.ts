import { createMemo } from "solid-js";
import { useMe } from "../data/session.ts";
import { useActiveWorkspaceId, useOpenApprovals, useWorkspace } from "../data/workspace.ts";
import { t } from "../i18n/index.ts";
import Activity from "lucide-solid/icons/activity";
import FolderGit2 from "lucide-solid/icons/folder-git-2";
import Gauge from "lucide-solid/icons/gauge";
import House from "lucide-solid/icons/house";
import BrainCircuit from "lucide-solid/icons/brain-circuit";
import Inbox from "lucide-solid/icons/inbox";
import Layers from "lucide-solid/icons/layers";
import Plug from "lucide-solid/icons/plug";
import MailX from "lucide-solid/icons/mail-x";
import MessageSquare from "lucide-solid/icons/message-square";
import Scale from "lucide-solid/icons/scale";
import Settings from "lucide-solid/icons/settings";
import ShieldCheck from "lucide-solid/icons/shield-check";
import Users from "lucide-solid/icons/users";
import { decidable } from "../data/badge.ts";
import type { Icon } from "./badge.tsx";

export interface NavItem {
  readonly id: string;
  readonly label: string;
  readonly href: string;
  readonly icon: Icon;
  readonly end?: boolean;
  readonly count?: number;
  readonly locked?: boolean;
}

/** The entries of the navigation, for the side bar and for the bar of a phone. */
export const useNavItems = () => {
  const me = useMe();
  const id = useActiveWorkspaceId();
  const workspace = useWorkspace(id);
  const approvals = useOpenApprovals();
  const detail = createMemo(() => (workspace.isPending || workspace.isError ? undefined : workspace.data));
  const open = createMemo(() => (approvals.isPending || approvals.isError ? [] : (approvals.data?.items ?? [])));
  const inWorkspace = createMemo((): readonly NavItem[] => {
    const ws = detail();
    if (ws === undefined) return [];
    const base = `/w/${ws.id}`;
    return [
      { id: "overview", label: t("nav.overview"), href: base, icon: House, end: true },
      { id: "chats", label: t("nav.chats"), href: `${base}/chats`, icon: MessageSquare, locked: !ws.chatOpen },
      {
        id: "approvals",
        label: t("nav.approvals"),
        href: `${base}/approvals`,
        icon: Inbox,
        count: decidable(open(), ws.id),
      },
      { id: "runs", label: t("nav.runs"), href: `${base}/runs`, icon: Activity },
      { id: "sources", label: t("nav.sources"), href: `${base}/sources`, icon: FolderGit2 },
      { id: "settings", label: t("nav.settings"), href: `${base}/settings`, icon: Settings },
    ];
  });
  const work = createMemo((): readonly NavItem[] => [
    {
      id: "all-approvals",
      label: t("nav.approvalsAll"),
      href: "/approvals",
      icon: Inbox,
      count: approvals.isPending || approvals.isError ? 0 : (approvals.data?.open ?? 0),
    },
    { id: "workspaces", label: t("nav.workspaces"), href: "/workspaces", icon: Layers },
  ]);
  const admin = createMemo((): readonly NavItem[] =>
    !me.isPending && me.data?.isPlatformAdmin === true
      ? [
          { id: "tools", label: t("nav.tools"), href: "/admin/tools", icon: ShieldCheck },
          { id: "policies", label: t("nav.policies"), href: "/admin/policies", icon: Scale },
          { id: "mcp", label: t("nav.mcp"), href: "/admin/mcp", icon: Plug },
          { id: "models", label: t("nav.models"), href: "/admin/models", icon: BrainCircuit },
          { id: "limits", label: t("nav.limits"), href: "/admin/limits", icon: Gauge },
          { id: "dead-letters", label: t("nav.deadLetters"), href: "/admin/dead-letters", icon: MailX },
          { id: "users", label: t("nav.users"), href: "/admin/users", icon: Users },
        ]
      : [],
  );
  return { workspace: detail, inWorkspace, work, admin };
};
