/// <reference path="./.sst/platform/config.d.ts" />
import { securityHeaders } from "../../functions/api/src/http/security-headers.ts";
import type { Stage } from "../stage.ts";

/** One host for pages and API, so that cookies stay with it and no page ever calls another origin. */
export const router = (stage: Stage, storageOrigin: $util.Output<string>) => {
  const policy = new aws.cloudfront.ResponseHeadersPolicy("PageHeaders", {
    name: `aiw-${stage.name}-pages`,
    customHeadersConfig: {
      // What the API sets itself is left as it is.
      items: storageOrigin.apply((origin) =>
        securityHeaders({ https: true, storageOrigin: origin })
          .filter(([header]) => !MANAGED.has(header))
          .map(([header, value]) => ({ header, value, override: false })),
      ),
    },
    securityHeadersConfig: {
      contentSecurityPolicy: {
        contentSecurityPolicy: storageOrigin.apply(
          (origin) =>
            securityHeaders({ https: true, storageOrigin: origin }).find(
              ([h]) => h === "content-security-policy",
            )?.[1] ?? "",
        ),
        override: false,
      },
      contentTypeOptions: { override: false },
      frameOptions: { frameOption: "DENY", override: false },
      referrerPolicy: { referrerPolicy: "no-referrer", override: false },
      strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, includeSubdomains: true, override: false },
    },
  });
  return new sst.aws.Router("Web", {
    domain: stage.domain,
    transform: {
      cdn: (args) => {
        args.defaultCacheBehavior = $util.output(args.defaultCacheBehavior).apply((behavior) => ({
          ...behavior,
          responseHeadersPolicyId: policy.id,
        }));
      },
    },
  });
};

/** Headers for which the platform has settings of their own. */
const MANAGED = new Set([
  "content-security-policy",
  "x-content-type-options",
  "x-frame-options",
  "referrer-policy",
  "strict-transport-security",
]);

/** The built web app. */
export const pages = (instance: sst.aws.Router) =>
  new sst.aws.StaticSite("Pages", { path: "../../web/dist", errorPage: "index.html", router: { instance } });
