import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "node",
  dts: true,
  // The parts of core that it uses are behind doors that are not published, so they move in.
  deps: { alwaysBundle: [/^@haft\/core/] },
  inputOptions: { resolve: { conditionNames: ["haft-source", "import", "node", "default"] } },
});
