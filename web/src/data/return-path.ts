const hasControl = (path: string): boolean => Array.from(path).some((char) => char < " ");

/**
 * Where to go after signing in: a path of this app only. Anything that could lead to another site
 * (a scheme, two slashes, a backslash, a control character) leads home instead.
 */
export const returnPath = (given: string | readonly string[] | undefined): string => {
  const path = typeof given === "string" ? given : given?.[0];
  if (path === undefined || !/^\/(?![/\\])/.test(path) || path.includes("\\") || hasControl(path)) return "/";
  return /^\/(?:login|password)(?:[/?#]|$)/.test(path) ? "/" : path;
};
