import { fileURLToPath } from "node:url";
import { defineConfig } from "tsdown";
import { thirdParty } from "../../scripts/third-party.ts";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "node",
  dts: true,
  // The MCP SDK with what it needs moves in, see src/source/mcp/sdk/sdk.ts; its types stay where they are.
  alias: {
    "@modelcontextprotocol/client/_shims": fileURLToPath(import.meta.resolve("./src/source/mcp/sdk/platform.ts")),
  },
  deps: {
    alwaysBundle: [/^@modelcontextprotocol\/client/],
    onlyBundle: [/^@modelcontextprotocol\//, "zod", "pkce-challenge", /^eventsource/, "jose"],
    dts: { neverBundle: [/^@modelcontextprotocol\//] },
  },
  plugins: [thirdParty()],
});
