import type { ApprovalDetail } from "@aiw/contract/views";
import { useQuery } from "@tanstack/solid-query";
import { createEffect, createMemo, createSignal, type JSX, on, Show } from "solid-js";
import { ApiProblem, asProblem, call } from "../../data/client.ts";
import { useNow } from "../../data/clock.ts";
import { inboxState } from "../../data/inbox.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { useMe } from "../../data/session.ts";
import { useWorkspaces } from "../../data/workspace.ts";
import { approvals as t } from "../../i18n/approvals.ts";
import { timeOfDay, t as words } from "../../i18n/index.ts";
import type { DiffControls } from "../../ui/diff-view.tsx";
import { ErrorPanel } from "../../ui/error-panel.tsx";
import { NothingHere } from "../../ui/nothing-here.tsx";
import { PageHeader, usePageTitle } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ApprovalBlocked } from "./approval-blocked.tsx";
import { ApprovalArguments, ApprovalChange, HiddenWarning } from "./approval-change.tsx";
import { ApprovalCompare } from "./approval-compare.tsx";
import { ApprovalHead } from "./approval-head.tsx";
import { useApprovalKeys } from "./approval-keys.ts";
import { ApprovalNotices } from "./approval-notices.tsx";
import { ApprovalOutcome } from "./approval-outcome.tsx";
import { ApprovalRail } from "./approval-rail.tsx";
import { type BarControls, type Decision, DecisionBar } from "./decision-bar.tsx";
import { keepReason } from "./reason-draft.ts";
import { DecideTogether } from "./decide-together.tsx";
import { differenceOf, isOnlyRejectable, isPast } from "./decision-model.ts";
import { VisibleText } from "../../ui/visible-text-view.tsx";

export interface ApprovalItemProps {
  readonly id: string;
  readonly itemHref: (id: string) => string;
  readonly backHref: string;
}

interface Conflict {
  readonly problem: ApiProblem;
  readonly item: ApprovalDetail | undefined;
}
const CONFLICTS: ReadonlySet<string> = new Set(["decided", "expired", "stale", "cancelled", "invalid"]);

const conflictText = (conflict: Conflict): string => {
  const { code, params } = conflict.problem;
  if (code === "expired" || code === "stale" || code === "cancelled" || code === "invalid")
    return t(`conflict.${code}`);
  const name = conflict.item?.decidedBy?.displayName ?? params["by"];
  const at = conflict.item?.decidedAt ?? params["at"];
  if (typeof name !== "string" || typeof at !== "string") return t("conflict.decidedAnonymous");
  return t("conflict.decided", { name, time: timeOfDay(at) });
};

const fetchItem = (id: string): Promise<ApprovalDetail> => call("getApproval", { params: { approvalId: id } });

const send = (item: ApprovalDetail, decision: Decision): Promise<ApprovalDetail> => {
  const params = { approvalId: item.id };
  const seenHash = item.snapshotHash;
  return decision.kind === "approve"
    ? call("approve", {
        params,
        body: {
          seenHash,
          ...(decision.reason === "" ? {} : { reason: decision.reason }),
          ...(decision.response === undefined ? {} : { response: decision.response }),
        },
      })
    : call("reject", {
        params,
        body: { seenHash, reason: decision.reason, ...(decision.endRun ? { endRun: true } : {}) },
      });
};

/** A request that cannot be read: a page of its own where the list is not beside it. */
const Unreadable = (props: { readonly error: unknown; readonly retry: () => void }): JSX.Element => (
  <Show
    when={asProblem(props.error).code === "not_found"}
    fallback={
      <div class="flex flex-col gap-4">
        <PageHeader title={words("error.title")} />
        <ErrorPanel error={props.error} retry={props.retry} />
      </div>
    }
  >
    <div class="flex flex-col gap-4">
      <NothingHere />
    </div>
  </Show>
);

/**
 * One request. What is shown is a copy: while it can be decided, news from the server freeze the buttons and are
 * announced, but nothing moves until the reader asks for it (APR-15). A decision names the hash that was shown (APR-4).
 */
export const ApprovalItem = (props: ApprovalItemProps): JSX.Element => {
  const me = useMe();
  const workspaces = useWorkspaces();
  const now = useNow();
  const [shown, setShown] = createSignal<ApprovalDetail>();
  const [live, setLive] = createSignal<ApprovalDetail>();
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const [conflict, setConflict] = createSignal<Conflict | null>(null);
  const [unviewed, setUnviewed] = createSignal(0);
  const [unshown, setUnshown] = createSignal(0);
  const [diff, setDiff] = createSignal<DiffControls | null>(null);
  const [bar, setBar] = createSignal<BarControls | null>(null);
  let outcome: HTMLElement | undefined;
  let alert: HTMLElement | undefined;

  const query = useQuery(() => ({
    queryKey: keys.approval(props.id),
    queryFn: () => fetchItem(props.id),
    // Hints may be late; a decided request is watched until its effect is known.
    refetchInterval: (q: { state: { data: ApprovalDetail | undefined } }) => {
      const status = q.state.data?.status;
      if (status === "approved" || status === "executing") return 1_500;
      return status === "pending" ? 15_000 : false;
    },
  }));
  createEffect(
    on(
      () => query.dataUpdatedAt,
      () => {
        // The cache holds plain data; the query's own object changes in place under whoever reads it.
        const fresh = queryClient.getQueryData<ApprovalDetail>(keys.approval(props.id));
        if (fresh === undefined) return;
        setLive(fresh);
        const old = shown();
        if (old === undefined || old.status !== "pending") setShown(fresh);
      },
    ),
  );
  const difference = createMemo(() => {
    const [old, fresh] = [shown(), live()];
    return old === undefined || fresh === undefined || busy() ? null : differenceOf(old, fresh);
  });
  const past = createMemo(() => {
    const item = shown();
    return item !== undefined && isPast(item, now());
  });
  createEffect(on(past, (isOver) => void (isOver && query.refetch()), { defer: true }));

  const take = (item: ApprovalDetail): void => {
    queryClient.setQueryData(keys.approval(props.id), item);
    setLive(item);
    setShown(item);
  };
  const showNew = (): void => {
    const fresh = live();
    if (fresh !== undefined) setShown(fresh);
    setConflict(null);
    queueMicrotask(() => outcome?.focus());
  };
  const decide = async (decision: Decision): Promise<void> => {
    const item = shown();
    if (item === undefined || busy()) return;
    setBusy(true);
    setFailure(null);
    setConflict(null);
    try {
      take(await send(item, decision));
      keepReason(item, "");
      queueMicrotask(() => {
        outcome?.focus({ preventScroll: true });
        outcome?.scrollIntoView({ block: "center" });
      });
    } catch (error) {
      if (error instanceof ApiProblem && CONFLICTS.has(error.code)) {
        const fresh = await fetchItem(props.id).catch(() => undefined);
        if (fresh !== undefined) take(fresh);
        setConflict({ problem: error, item: fresh });
        queueMicrotask(() => alert?.focus());
      } else setFailure(error);
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: keys.allApprovals });
    }
  };
  const locked = (): string | null => {
    if (difference() !== null) return t("changed.title");
    if (past()) return t("blocked.expired");
    if (inboxState() === "offline") return t("bar.offline");
    return null;
  };
  useApprovalKeys({ item: shown, backHref: () => props.backHref, bar, diff });
  usePageTitle(() => {
    const item = shown();
    return item === undefined
      ? t("title")
      : `${t("itemTitle", { number: String(item.number) })} · ${item.workspaceName}`;
  });
  const isMember = (workspaceId: string): boolean =>
    !workspaces.isPending && (workspaces.data?.items ?? []).some((ws) => ws.id === workspaceId);
  const isRequester = (item: ApprovalDetail): boolean => !me.isPending && me.data?.id === item.requester.id;

  /** Where something else than reading is to be done it stands first, otherwise in the place of the buttons. */
  const blocked = (item: () => ApprovalDetail): JSX.Element => (
    <ApprovalBlocked
      item={item()}
      past={past()}
      itemHref={props.itemHref}
      locked={locked() !== null}
      busy={busy()}
      failure={failure()}
      onDecide={(decision) => void decide(decision)}
      controls={setBar}
    />
  );

  return (
    <Show
      when={shown()}
      fallback={
        <Show when={query.isError} fallback={<Skeleton rows={8} />}>
          <Unreadable error={query.error} retry={() => void query.refetch()} />
        </Show>
      }
    >
      {(item) => (
        <article class="@container flex min-w-0 flex-col gap-4">
          <ApprovalHead item={item()} isMember={isMember(item().workspaceId)} />
          <div role="status" class={difference() === null ? "-mt-4" : ""}>
            <Show when={difference()}>
              <div class="rounded-panel border border-warn bg-warn-bg p-3 text-warn">
                <p class="font-medium">{t("changed.title")}</p>
                <p>
                  {difference() === "status"
                    ? t("changed.nowStatus", { status: words(`request.${live()?.status ?? "pending"}`) })
                    : t("changed.body")}
                </p>
                <button type="button" class="btn btn-sm mt-2" onClick={showNew}>
                  {t("changed.reload")}
                </button>
              </div>
            </Show>
          </div>
          <Show when={conflict()}>
            {(found) => (
              <div
                role="alert"
                tabindex={-1}
                ref={(element) => (alert = element)}
                class="rounded-panel border border-warn bg-warn-bg p-3 text-warn"
              >
                <p class="font-medium">
                  <VisibleText text={conflictText(found())} />
                </p>
                <p>{t("conflict.reloaded")}</p>
              </div>
            )}
          </Show>
          <Show when={item().status !== "pending"}>
            <ApprovalOutcome item={item()} itemHref={props.itemHref} ref={(element) => (outcome = element)} />
          </Show>
          <Show when={isOnlyRejectable(item()) && !past()}>{blocked(item)}</Show>
          <ApprovalNotices item={item()} />
          <HiddenWarning count={item().hiddenCharacters} />
          <div class="grid gap-4 @min-[60rem]:grid-cols-[minmax(0,1fr)_20rem]">
            <div class="flex min-w-0 flex-col gap-5">
              <ApprovalCompare item={item()} itemHref={props.itemHref} />
              <ApprovalChange item={item()} controls={setDiff} onOpenCount={setUnviewed} onUnshown={setUnshown} />
              <Show when={item().responseLabel === null}>
                <Show when={item().decidable}>
                  <DecideTogether item={item()} />
                </Show>
                <ApprovalArguments item={item()} />
              </Show>
            </div>
            <ApprovalRail item={item()} itemHref={props.itemHref} />
          </div>
          <Show when={item().status === "pending"}>
            <Show
              when={item().decidable}
              fallback={<Show when={!isOnlyRejectable(item()) || past()}>{blocked(item)}</Show>}
            >
              <DecisionBar
                item={item()}
                isRequester={isRequester(item())}
                unviewed={(item().preview.files?.length ?? 0) > 3 ? unviewed() : 0}
                unshown={unshown()}
                onShowAll={() => diff()?.showAll()}
                locked={locked()}
                onShowNew={difference() === null ? undefined : showNew}
                busy={busy()}
                failure={failure()}
                onDecide={(decision) => void decide(decision)}
                controls={setBar}
              />
            </Show>
          </Show>
        </article>
      )}
    </Show>
  );
};
