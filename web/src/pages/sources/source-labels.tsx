import type { Source } from "@aiw/contract/views";
import { createSignal, For, type JSX, Show } from "solid-js";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queryClient } from "../../data/query.ts";
import { sources as t } from "../../i18n/sources.ts";
import { ErrorLine } from "../../ui/error-panel.tsx";
import { FormField } from "../../ui/form-field.tsx";
import { toast } from "../../ui/toast.tsx";

const VALUES = {
  environment: ["production", "staging", "test", "development"],
  sensitivity: ["public", "internal", "confidential"],
  trust: ["trusted", "untrusted"],
} as const satisfies { readonly [K in keyof Source["labels"]]: readonly NonNullable<Source["labels"][K]>[] };
type Kind = keyof typeof VALUES;
const KINDS: readonly Kind[] = ["environment", "sensitivity", "trust"];

/** What admins say of a source (POL-11): rules may use it, and dangerous combinations are found by it. */
export const SourceLabels = (props: {
  readonly workspaceId: string;
  readonly source: Source;
  readonly isAdmin: boolean;
}): JSX.Element => {
  const [busy, setBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>(null);
  const set = async (kind: Kind, chosen: string): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const value = VALUES[kind].find((one) => one === chosen) ?? null;
      const body = { ...props.source.labels, [kind]: value };
      const params = { workspaceId: props.workspaceId, sourceId: props.source.id };
      queryClient.setQueryData(
        keys.source(props.workspaceId, props.source.id),
        await call("setSourceLabels", { params, body }),
      );
      void queryClient.invalidateQueries({ queryKey: keys.sources(props.workspaceId) });
      toast(t("labels.saved"));
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const word = (kind: Kind): string => {
    const value = props.source.labels[kind];
    return value === null ? t("labels.none") : t(`labels.value.${value}`);
  };
  return (
    <section class="panel flex flex-col gap-3 p-4" aria-labelledby="labels-title">
      <div>
        <h2 id="labels-title" class="text-lg">
          {t("labels.title")}
        </h2>
        <p class="max-w-[70ch] text-ink-2">{t("labels.hint")}</p>
      </div>
      <div class="grid gap-3 md:grid-cols-3">
        <For each={KINDS}>
          {(kind) => (
            <Show
              when={props.isAdmin}
              fallback={
                <div>
                  <p class="font-medium">{t(`labels.${kind}`)}</p>
                  <p>{word(kind)}</p>
                </div>
              }
            >
              <FormField label={t(`labels.${kind}`)}>
                {(field) => (
                  <select
                    {...field}
                    class="input"
                    disabled={busy()}
                    onChange={(event) => void set(kind, event.currentTarget.value)}
                  >
                    <option value="" selected={props.source.labels[kind] === null}>
                      {t("labels.none")}
                    </option>
                    <For each={VALUES[kind]}>
                      {(value) => (
                        <option value={value} selected={props.source.labels[kind] === value}>
                          {t(`labels.value.${value}`)}
                        </option>
                      )}
                    </For>
                  </select>
                )}
              </FormField>
            </Show>
          )}
        </For>
      </div>
      <Show when={props.source.labels.sensitivity === "confidential" || props.source.labels.trust === "untrusted"}>
        <p class="text-ink-2">{t("labels.combination")}</p>
      </Show>
      <ErrorLine error={failure()} />
    </section>
  );
};
