import type { ModelEndpoint } from "@aiw/contract/models";
import { createSignal, type JSX, Show } from "solid-js";
import { call } from "../../../data/client.ts";
import { models as t } from "../../../i18n/models.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { toast } from "../../../ui/toast.tsx";
import { VisibleText } from "../../../ui/visible-text-view.tsx";
import { visibleString } from "../../../ui/visible-text.ts";
import { KeyForm } from "./key-form.tsx";
import { ConfirmDialog, refreshModels } from "./parts.tsx";

/** The shared key of a gateway (team null) or that of a team, by its last four characters, and what can be done with it (GW-3). */
export const KeyRow = (props: {
  readonly endpoint: ModelEndpoint;
  readonly team: { readonly id: string; readonly name: string } | null;
}): JSX.Element => {
  const [open, setOpen] = createSignal<"set" | "erase">();
  const mark = () => {
    const { team, endpoint } = props;
    return team === null ? endpoint.sharedKey : (endpoint.teamKeys.find((key) => key.teamId === team.id) ?? null);
  };
  const whose = (): string =>
    props.team === null ? t("key.shared") : t("key.team", { name: visibleString(props.team.name) });
  const absent = (): string => {
    if (props.team !== null) return t("key.fallsBack");
    return props.endpoint.url === null ? t("key.environment") : t("key.none");
  };
  const put = async (key: string | null): Promise<void> => {
    const { endpoint, team } = props;
    if (team === null) await call("setSharedKey", { params: { endpointId: endpoint.id }, body: { key } });
    else await call("setTeamKey", { params: { endpointId: endpoint.id, teamId: team.id }, body: { key } });
  };
  const done = (text: string): void => {
    setOpen(undefined);
    toast(text);
    refreshModels();
  };
  return (
    <li class="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <span class="min-w-0 [overflow-wrap:anywhere]">
        <span class="font-medium">
          <VisibleText text={whose()} />
        </span>{" "}
        <Show when={mark()} fallback={<span class="text-meta text-ink-2">{absent()}</span>}>
          {(key) => (
            <span class="text-meta text-ink-2">
              {key().last4 === "" ? t("key.storedShort") : t("key.stored", { last4: key().last4 })}
              <Show when={key().changedBy}>
                {(by) => <> · {t("key.by", { name: visibleString(by().displayName) })}</>}
              </Show>{" "}
              <RelativeTime at={key().changedAt} />
            </span>
          )}
        </Show>
      </span>
      <span class="flex flex-wrap gap-2">
        <button
          type="button"
          class="btn btn-sm"
          aria-label={t("key.setOf", { name: whose() })}
          onClick={() => setOpen("set")}
        >
          {t("key.set")}
        </button>
        <Show when={mark() !== null}>
          <button
            type="button"
            class="btn btn-sm btn-danger"
            aria-label={t("key.eraseOf", { name: whose() })}
            onClick={() => setOpen("erase")}
          >
            {t("key.erase")}
          </button>
        </Show>
      </span>
      <Dialog
        open={open() === "set"}
        onOpenChange={(next) => setOpen(next ? "set" : undefined)}
        title={t("key.setOf", { name: whose() })}
      >
        <KeyForm onSave={put} onDone={() => done(t("key.saved"))} onCancel={() => setOpen(undefined)} />
      </Dialog>
      <ConfirmDialog
        open={open() === "erase"}
        onOpenChange={(next) => setOpen(next ? "erase" : undefined)}
        title={t("key.eraseTitle", { name: whose() })}
        body={t("key.eraseBody")}
        confirm={t("key.erase")}
        work={() => put(null)}
        onDone={() => done(t("key.erased"))}
      />
    </li>
  );
};
