/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  app: (input) => ({
    name: "aiw",
    home: "aws",
    removal: input.stage === "production" ? "retain" : "remove",
    protect: input.stage === "production",
    providers: { random: "4.16.6", aws: { version: "7.20.0", region: process.env["AWS_REGION"] ?? "eu-central-1" } },
  }),
  run: async () => {
    const { deployAll } = await import("./stack.ts");
    return deployAll();
  },
});
