import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

/** Where the API runs while the web app is served by Vite itself. */
const api = process.env["AIW_DEV_API"] ?? "http://127.0.0.1:3000";

/**
 * Static style attributes would break the strict CSP; so compiled, they are set through the CSSOM.
 * The compiler knows the option, the plugin's types do not name it yet.
 */
const compiler = { inlineStyles: false, generate: "dom" as const };

export default defineConfig({
  plugins: [tailwindcss(), solid({ solid: compiler })],
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, cssCodeSplit: false },
  server: { proxy: { "/api": { target: api } } },
});
