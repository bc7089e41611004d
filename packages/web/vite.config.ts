import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = fileURLToPath(new URL("./", import.meta.url));

// The page is served under a policy that allows own files only: nothing is inlined, nothing comes from elsewhere.
const config = defineConfig({
  root: here,
  base: "/",
  resolve: { conditions: ["haft-source", "browser", "module", "import", "default"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: `${here}../haft/dist/console`,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
});

export { config as default };
