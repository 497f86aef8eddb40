import type { AdminTool } from "@aiw/contract/views";
import CircleOff from "lucide-solid/icons/circle-off";
import GitCompare from "lucide-solid/icons/git-compare";
import { For, type JSX, Show } from "solid-js";
import { de } from "../../i18n/de/mcp.ts";
import { dateTime } from "../../i18n/index.ts";
import { mcp as t } from "../../i18n/mcp.ts";
import { Badge } from "../../ui/badge.tsx";
import { DefinitionCompare } from "./definition-compare.tsx";

type Finding = Exclude<keyof typeof de.findings, "title">;
const isFinding = (code: string): code is Finding => code !== "title" && Object.hasOwn(de.findings, code);

/** The definition changed and nobody has classified it since (POL-6). */
const isChanged = (tool: AdminTool): boolean => tool.previousDefinition !== null && tool.riskClass === null;

/** What a row says of a server's tool: where it is from, that it is gone, that it changed. */
export const ToolBadges = (props: { readonly tool: AdminTool }): JSX.Element => (
  <>
    <Show when={props.tool.server}>
      {(name) => <span class="text-meta text-ink-2">{t("tool.server", { name: name() })}</span>}
    </Show>
    <Show when={isChanged(props.tool)}>
      <Badge tone="warn" icon={GitCompare}>
        {t("tool.changed")}
      </Badge>
    </Show>
    <Show when={props.tool.missingAt !== null}>
      <Badge tone="mute" icon={CircleOff} dashed>
        {t("tool.missing")}
      </Badge>
    </Show>
  </>
);

/** What an admin looks at before classifying a server's tool: findings, and old and new definition (POL-6, N45). */
export const ToolReview = (props: { readonly tool: AdminTool }): JSX.Element => (
  <>
    <Show when={props.tool.missingAt}>
      {(at) => <p class="rounded-control bg-mute-bg p-2 text-mute">{t("tool.missingHint", { at: dateTime(at()) })}</p>}
    </Show>
    <Show when={props.tool.findings.some(isFinding)}>
      <div class="rounded-control bg-warn-bg p-2 text-warn">
        <p class="font-medium">{t("findings.title")}</p>
        <ul class="list-disc pl-5">
          <For each={props.tool.findings.filter(isFinding)}>{(code) => <li>{t(`findings.${code}`)}</li>}</For>
        </ul>
      </div>
    </Show>
    <Show when={isChanged(props.tool) ? props.tool.previousDefinition : null}>
      {(before) => (
        <div class="flex flex-col gap-1">
          <p class="label">{t("tool.changed")}</p>
          <p class="text-meta text-ink-2">{t("tool.changedHint")}</p>
          <DefinitionCompare before={before()} after={props.tool.definition} />
        </div>
      )}
    </Show>
  </>
);
