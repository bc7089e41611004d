import { defineConfig } from "tsdown";

export default defineConfig({
  // The published doors. The other folders are for the packages of this repository, which take them from source.
  entry: ["src/index.ts", "src/{host,edge,contract}/index.ts", "src/compat/!(foreign)/index.ts"],
  root: "src",
  format: "esm",
  platform: "neutral",
  fixedExtension: true,
  dts: true,
});
