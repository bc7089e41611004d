import { defineConfig } from "tsdown";

export default defineConfig({
  // A glob: a new folder with an index is an entry without a change here.
  entry: ["src/index.ts", "src/*/index.ts", "src/compat/*/index.ts"],
  root: "src",
  format: "esm",
  platform: "neutral",
  fixedExtension: true,
  dts: true,
});
