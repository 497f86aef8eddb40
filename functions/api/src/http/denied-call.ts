import { id } from "@aiw/contract/ids";
import type { DeniedCall } from "@aiw/core/identity";

/** What a refused call was about, read from its path: the workspace it names, and the last record behind it. */
export function deniedCall(endpoint: string, path: string, params: Readonly<Record<string, string>>): DeniedCall {
  const ids = [...path.matchAll(/:(\w+)Id\b/g)].flatMap(([, kind]) => {
    const found = id.safeParse(params[`${kind}Id`]?.toLowerCase());
    return kind !== undefined && found.success ? [{ kind, id: found.data }] : [];
  });
  const isWorkspace = ({ kind }: { readonly kind: string }): boolean => kind === "workspace" || kind === "project";
  const workspace = ids.find(isWorkspace);
  const object = ids.findLast((one) => !isWorkspace(one));
  return {
    endpoint,
    ...(workspace === undefined ? {} : { workspaceId: workspace.id }),
    ...(object === undefined ? {} : { object }),
  };
}
