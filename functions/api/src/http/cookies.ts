/** The session cookie: `__Host-` binds it to this host and to https (N14); plain http, for localhost, cannot have that. */
export const cookieName = (secure: boolean): string => (secure ? "__Host-aiw" : "aiw_session");

/** The session token of a request. Two cookies of the name with different values count as none (N20). */
export function sessionToken(request: Request, secure: boolean): string | undefined {
  const name = cookieName(secure);
  const values = new Set(
    (request.headers.get("cookie") ?? "")
      .split(";")
      .map((part) => part.trim())
      .filter((part) => part.startsWith(`${name}=`))
      .map((part) => part.slice(name.length + 1)),
  );
  const [value] = values;
  return values.size === 1 ? value : undefined;
}

export const setSession = (token: string, secure: boolean, maxAgeS: number): string =>
  `${cookieName(secure)}=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}${secure ? "; Secure" : ""}`;

export const clearSession = (secure: boolean): string =>
  `${cookieName(secure)}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0${secure ? "; Secure" : ""}`;
