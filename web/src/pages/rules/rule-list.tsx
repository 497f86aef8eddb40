import type { PolicyRuleView } from "@aiw/contract/policies";
import { useQuery } from "@tanstack/solid-query";
import Lock from "lucide-solid/icons/lock";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import { createSignal, For, type JSX, Show } from "solid-js";
import { plainCondition } from "../../i18n/condition.ts";
import { dateTime, t as words } from "../../i18n/index.ts";
import { rules as t } from "../../i18n/rules.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { QueryPanel } from "../../ui/query-panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { createAction } from "../settings/save.ts";
import type { RuleDoor } from "./rule-door.ts";
import { RuleForm } from "./rule-form.tsx";
import { warningText } from "./rule-model.ts";

/** What the rule says, as a sentence. */
const Sentence = (props: { readonly rule: PolicyRuleView }): JSX.Element => (
  <span class="[overflow-wrap:anywhere]">
    <Show when={props.rule.condition} fallback={<span>{t(`sentence.${props.rule.decision}`)}</span>}>
      {(condition) => (
        <>
          {t("sentence.approveIf")} <code class="mono">{plainCondition(condition())}</code>
        </>
      )}
    </Show>
  </span>
);

const Facts = (props: { readonly rule: PolicyRuleView }): JSX.Element => {
  const facts = (): readonly string[] => [
    ...(props.rule.sourceName === null ? [] : [t("at", { source: props.rule.sourceName })]),
    ...(props.rule.approvalLevel === null ? [] : [t("decides", { level: words(`level.${props.rule.approvalLevel}`) })]),
    ...(props.rule.fourEyes === true ? [t("fourEyesOn")] : []),
    ...(props.rule.changedBy === null || props.rule.changedAt === null
      ? []
      : [t("changed", { name: props.rule.changedBy.displayName, time: dateTime(props.rule.changedAt) })]),
  ];
  return (
    <Show when={facts().length > 0}>
      <p class="text-meta text-ink-2">{facts().join(" · ")}</p>
    </Show>
  );
};

const Warnings = (props: { readonly rule: PolicyRuleView }): JSX.Element => (
  <For each={props.rule.warnings}>
    {(warning) => (
      <p class="mt-1 flex items-start gap-1.5 text-warn [overflow-wrap:anywhere]">
        <TriangleAlert size={14} class="mt-1 shrink-0" aria-hidden="true" />
        {warningText(warning)}
      </p>
    )}
  </For>
);

const Row = (props: {
  readonly rule: PolicyRuleView;
  readonly door: RuleDoor;
  readonly onRemove: () => void;
}): JSX.Element => {
  const [open, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const close = (): void => {
    setOpen(false);
    button?.focus();
  };
  return (
    <li class="px-4 py-3">
      <div class="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div class="min-w-0 flex-1 basis-64">
          <p class="flex flex-wrap items-center gap-x-2">
            <code class="mono font-semibold [overflow-wrap:anywhere]">
              {props.rule.pattern === "*" ? `* (${t("everything")})` : props.rule.pattern}
            </code>
            <Show when={props.rule.label !== props.rule.pattern}>
              <span class="text-ink-2 [overflow-wrap:anywhere]">{props.rule.label}</span>
            </Show>
          </p>
          <p class={props.rule.replaced ? "text-ink-2 line-through" : ""}>
            <Sentence rule={props.rule} />
          </p>
          <Show when={props.rule.replaced}>
            <p class="text-meta text-ink-2">{t("replaced")}</p>
          </Show>
          <Facts rule={props.rule} />
          <Warnings rule={props.rule} />
        </div>
        <Show
          when={props.rule.mayChange}
          fallback={
            <span
              class="inline-flex items-center gap-1 text-meta text-ink-2"
              title={props.rule.builtIn ? t("lockedBuiltIn") : t("lockedPlatform")}
            >
              <Lock size={13} aria-hidden="true" />
              {t("locked")}
            </span>
          }
        >
          <div class="flex gap-1">
            <button
              type="button"
              class="btn btn-sm"
              ref={(element) => (button = element)}
              aria-expanded={open()}
              aria-label={t("editOf", { label: props.rule.label })}
              onClick={() => setOpen(!open())}
            >
              {t("edit")}
            </button>
            <button
              type="button"
              class="btn btn-quiet btn-sm"
              aria-label={t("removeOf", { label: props.rule.label })}
              onClick={() => props.onRemove()}
            >
              {t("remove")}
            </button>
          </div>
        </Show>
      </div>
      <Show when={open()}>
        <RuleForm door={props.door} rule={props.rule} onDone={close} />
      </Show>
    </li>
  );
};

const Group = (props: {
  readonly title: string;
  /** The title stands above already. */
  readonly titled?: boolean;
  readonly hint?: string;
  readonly rules: readonly PolicyRuleView[];
  readonly door: RuleDoor;
  readonly onRemove: (rule: PolicyRuleView) => void;
  readonly children?: JSX.Element;
}): JSX.Element => (
  <section class="flex flex-col gap-2" aria-label={props.title}>
    <h3 class={props.titled === true ? "sr-only" : "font-medium"}>{props.title}</h3>
    <Show when={props.hint}>
      <p class="text-meta text-ink-2">{props.hint}</p>
    </Show>
    <Show when={props.rules.length > 0}>
      <ul class="panel divide-y divide-line">
        {/* By id, so that an open form stays open while the list is read anew. */}
        <For each={props.rules.map((rule) => rule.id)}>
          {(id) => (
            <Show when={props.rules.find((rule) => rule.id === id)}>
              {(rule) => <Row rule={rule()} door={props.door} onRemove={() => props.onRemove(rule())} />}
            </Show>
          )}
        </For>
      </ul>
    </Show>
    {props.children}
  </section>
);

/** The rules that hold, by who set them; those that may be changed here with their forms (POL-3, POL-7, POL-8). */
export const RuleList = (props: { readonly door: RuleDoor; readonly mayChange: boolean }): JSX.Element => {
  const query = useQuery(() => ({ queryKey: props.door.queryKey, queryFn: props.door.list }));
  const [adding, setAdding] = createSignal(false);
  const [leaving, setLeaving] = createSignal<PolicyRuleView>();
  const removal = createAction();
  let addButton: HTMLButtonElement | undefined;
  const remove = async (rule: PolicyRuleView): Promise<void> => {
    const done = await removal.run(() => props.door.remove(rule));
    if (!done) return;
    setLeaving(undefined);
    toast(t("removed"));
  };
  const isOwn = (rule: PolicyRuleView): boolean =>
    !rule.builtIn && (props.door.workspaceId === null) === (rule.level === "platform");
  return (
    <>
      <QueryPanel query={query} rows={4}>
        {(data) => {
          const own = (): readonly PolicyRuleView[] => data().items.filter(isOwn);
          const platform = (): readonly PolicyRuleView[] =>
            data().items.filter((rule) => !rule.builtIn && !isOwn(rule));
          const builtIn = (): readonly PolicyRuleView[] => data().items.filter((rule) => rule.builtIn);
          return (
            <div class="flex flex-col gap-5">
              <Group
                title={props.door.workspaceId === null ? t("group.ownPlatform") : t("group.own")}
                rules={own()}
                door={props.door}
                onRemove={setLeaving}
              >
                <Show when={own().length === 0 && !adding()}>
                  <p class="text-ink-2">{t("none")}</p>
                </Show>
                <Show when={props.mayChange}>
                  <Show
                    when={adding()}
                    fallback={
                      <button
                        type="button"
                        class="btn self-start"
                        ref={(element) => (addButton = element)}
                        onClick={() => setAdding(true)}
                      >
                        {t("add")}
                      </button>
                    }
                  >
                    <RuleForm
                      door={props.door}
                      rule={null}
                      onDone={() => {
                        setAdding(false);
                        queueMicrotask(() => addButton?.focus());
                      }}
                    />
                  </Show>
                </Show>
              </Group>
              <Show when={platform().length > 0}>
                <Group
                  title={t("group.platform")}
                  hint={t("lockedPlatform")}
                  rules={platform()}
                  door={props.door}
                  onRemove={setLeaving}
                />
              </Show>
              <Show when={builtIn().length > 0}>
                <details>
                  <summary class="min-h-6 font-medium">{t("group.builtIn")}</summary>
                  <div class="mt-2">
                    <Group
                      title={t("group.builtIn")}
                      titled
                      hint={t("lockedBuiltIn")}
                      rules={builtIn()}
                      door={props.door}
                      onRemove={setLeaving}
                    />
                  </div>
                </details>
              </Show>
            </div>
          );
        }}
      </QueryPanel>
      <Dialog
        open={leaving() !== undefined}
        onOpenChange={(open) => !open && setLeaving(undefined)}
        title={t("removeTitle", { label: leaving()?.label ?? "" })}
        description={t("removeBody")}
      >
        <ErrorLine error={removal.failure()} />
        <div class="mt-2 flex flex-wrap gap-2">
          <button
            type="button"
            class="btn btn-danger"
            disabled={removal.busy()}
            onClick={() => {
              const rule = leaving();
              if (rule !== undefined) void remove(rule);
            }}
          >
            {t("remove")}
          </button>
          <button type="button" class="btn" onClick={() => setLeaving(undefined)}>
            {t("cancel")}
          </button>
        </div>
      </Dialog>
    </>
  );
};
