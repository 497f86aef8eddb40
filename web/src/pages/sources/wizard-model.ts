/** What the wizard collects before anything is sent. */
export interface Draft {
  readonly name: string;
  readonly url: string;
  readonly branch: string;
  readonly username: string;
  readonly token: string;
}

export type UrlFault = "required" | "invalid" | "credentials";

/** What can be said about an address before the server looks at it; the server's allow-list decides (SRC-3). */
export function urlFault(text: string): UrlFault | null {
  const url = text.trim();
  if (url === "") return "required";
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return "invalid";
  const parsed = new URL(url);
  if (parsed.username !== "" || parsed.password !== "") return "credentials";
  return parsed.hostname === "" || parsed.pathname.length < 2 ? "invalid" : null;
}

/** A name from the last part of an address: "https://host/team/service.git" -> "service". */
export function nameFromUrl(text: string): string {
  if (urlFault(text) !== null) return "";
  const last = new URL(text.trim()).pathname.split("/").findLast((part) => part !== "") ?? "";
  try {
    return decodeURIComponent(last)
      .replace(/\.git$/i, "")
      .slice(0, 80);
  } catch {
    return "";
  }
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** The body of the request. The token is sent exactly as typed. */
export const bodyOf = (draft: Draft) => ({
  kind: "git" as const,
  name: draft.name.trim(),
  url: draft.url.trim(),
  branch: orNull(draft.branch),
  username: orNull(draft.username),
  token: draft.token === "" ? null : draft.token,
  confirmed: true,
});
