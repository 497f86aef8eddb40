import type { ApprovalDetail } from "@aiw/contract/views";
import { useNavigate } from "@solidjs/router";
import { approvals as t } from "../../i18n/approvals.ts";
import { copyText } from "../../ui/copy-button.tsx";
import type { DiffControls } from "../../ui/diff-view.tsx";
import { useKeys } from "../../ui/keys.ts";
import { toast } from "../../ui/toast.tsx";
import type { BarControls } from "./decision-bar.tsx";

interface Targets {
  readonly item: () => ApprovalDetail | undefined;
  readonly backHref: () => string;
  readonly bar: () => BarControls | null;
  readonly diff: () => DiffControls | null;
}

const copy = async (text: string, done: string): Promise<void> => {
  await copyText(text);
  toast(done);
};

/** Keys of an open request (APR-15): they lead to a button or field, they never decide. */
export const useApprovalKeys = (on: Targets): void => {
  const navigate = useNavigate();
  const goToChat = (): void => {
    const item = on.item();
    if (item !== undefined && item.chatId !== null) navigate(`/w/${item.workspaceId}/chats/${item.chatId}`);
  };
  const withItem = (run: (item: ApprovalDetail) => void) => (): void => {
    const item = on.item();
    if (item !== undefined) run(item);
  };
  useKeys("page", () => [
    {
      keys: "a",
      label: () => t("keys.approve"),
      when: () => (on.bar()?.approve ?? null) !== null,
      run: () => on.bar()?.approve?.(),
    },
    { keys: "r", label: () => t("keys.reject"), when: () => on.bar() !== null, run: () => on.bar()?.reject() },
    { keys: "n", label: () => t("keys.chat"), run: goToChat },
    {
      keys: "y",
      label: () => t("keys.copyLink"),
      run: withItem((item) => void copy(`${location.origin}/approvals/${item.id}`, t("linkCopied"))),
    },
    {
      keys: "h",
      label: () => t("keys.copyHash"),
      run: withItem((item) => void copy(item.snapshotHash, t("hash.copied"))),
    },
    { keys: "d", label: () => t("keys.nextFile"), when: () => on.diff() !== null, run: () => on.diff()?.nextFile() },
    { keys: "v", label: () => t("keys.viewed"), when: () => on.diff() !== null, run: () => on.diff()?.toggleViewed() },
    { keys: "w", label: () => t("keys.wrap"), when: () => on.diff() !== null, run: () => on.diff()?.toggleWrap() },
    { keys: "u", label: () => t("keys.list"), run: () => navigate(on.backHref()) },
  ]);
};
