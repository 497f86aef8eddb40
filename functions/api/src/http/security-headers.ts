/** No inline script or style, nothing from elsewhere, nobody frames us (SEC-3). */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: readonly (readonly [string, string])[] = [
  ["content-security-policy", CSP],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
];

/** Sets what every answer carries. What is personal is never stored on the way (N22). */
export function harden(headers: Headers, options: { readonly requestId: string; readonly https: boolean }): void {
  for (const [name, value] of HEADERS) headers.set(name, value);
  headers.set("x-request-id", options.requestId);
  if (options.https) headers.set("strict-transport-security", "max-age=31536000; includeSubDomains");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
