/** No inline script or style, nothing from elsewhere, nobody frames us (SEC-3). Uploads go straight to object storage (UPL-1). */
const csp = (storageOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    storageOrigin === undefined ? "connect-src 'self'" : `connect-src 'self' ${storageOrigin}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const HEADERS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
];

/** The headers of every answer and of every page, whoever serves it. */
export const securityHeaders = (options: {
  readonly https: boolean;
  readonly storageOrigin?: string;
}): readonly (readonly [string, string])[] => [
  ["content-security-policy", csp(options.storageOrigin)],
  ...HEADERS,
  ...(options.https ? [["strict-transport-security", "max-age=31536000; includeSubDomains"] as const] : []),
];

/** Sets what every answer carries. What is personal is never stored on the way (N22). */
export function harden(
  headers: Headers,
  options: { readonly requestId: string; readonly https: boolean; readonly storageOrigin?: string },
): void {
  for (const [name, value] of securityHeaders(options)) headers.set(name, value);
  headers.set("x-request-id", options.requestId);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
