import type { PolicyRuleView, Trial } from "@aiw/contract/policies";
import type { WritePolicy } from "@aiw/contract/tools";
import type { MemberRole } from "@aiw/contract/views";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import type { RuleBody } from "./rule-model.ts";

/** A call to try rules on. */
export interface Sample {
  readonly toolId: string;
  readonly args: string;
  readonly role: MemberRole;
  /** Workspaces only. */
  readonly sourceId: string | null;
  /** The platform only: its rules hold in workspaces of either mode. */
  readonly writePolicy: WritePolicy;
}

/** A rule in the form: changed (`policyId`), or new (null). */
export type TrialDraft = (RuleBody & { readonly policyId: string | null }) | null;

/** Where the rules of a page are read and changed: a workspace, or the platform. */
export interface RuleDoor {
  /** Null: the platform. */
  readonly workspaceId: string | null;
  readonly queryKey: readonly unknown[];
  readonly list: () => Promise<{ readonly items: PolicyRuleView[] }>;
  readonly save: (body: RuleBody, old: PolicyRuleView | null) => Promise<PolicyRuleView>;
  readonly remove: (rule: PolicyRuleView) => Promise<void>;
  readonly tryIt: (sample: Sample, draft: TrialDraft) => Promise<Trial>;
}

const refresh = (queryKey: readonly unknown[]): void => {
  void queryClient.invalidateQueries({ queryKey });
  // What becomes of a call is shown with the tools of every workspace.
  void queryClient.invalidateQueries({ queryKey: ["ws"] });
};

export const workspaceDoor = (workspaceId: string): RuleDoor => {
  const queryKey = keys.policies(workspaceId);
  return {
    workspaceId,
    queryKey,
    list: () => call("listPolicies", { params: { workspaceId } }),
    save: async (body, old) => {
      const saved =
        old === null
          ? await call("createPolicy", { params: { workspaceId }, body })
          : await call("updatePolicy", {
              params: { workspaceId, policyId: old.id },
              body: { ...body, version: old.version },
            });
      refresh(queryKey);
      return saved;
    },
    remove: async (rule) => {
      await call("removePolicy", { params: { workspaceId, policyId: rule.id }, query: { version: rule.version } });
      refresh(queryKey);
    },
    tryIt: ({ toolId, args, role, sourceId }, draft) =>
      call("tryPolicy", { params: { workspaceId }, body: { toolId, args, role, sourceId, draft } }),
  };
};

const ofPlatform = ({ pattern, decision, condition, approvalLevel, fourEyes, label }: RuleBody) => ({
  pattern,
  decision,
  condition,
  approvalLevel,
  fourEyes,
  label,
});

export const platformDoor: RuleDoor = {
  workspaceId: null,
  queryKey: keys.adminPolicies,
  list: () => call("listPlatformPolicies"),
  save: async (body, old) => {
    const saved =
      old === null
        ? await call("createPlatformPolicy", { body: ofPlatform(body) })
        : await call("updatePlatformPolicy", {
            params: { policyId: old.id },
            body: { ...ofPlatform(body), version: old.version },
          });
    refresh(keys.adminPolicies);
    return saved;
  },
  remove: async (rule) => {
    await call("removePlatformPolicy", { params: { policyId: rule.id }, query: { version: rule.version } });
    refresh(keys.adminPolicies);
  },
  tryIt: ({ toolId, args, role, writePolicy }, draft) =>
    call("tryPlatformPolicy", {
      body: {
        toolId,
        args,
        role,
        writePolicy,
        draft: draft === null ? null : { ...ofPlatform(draft), policyId: draft.policyId },
      },
    }),
};
