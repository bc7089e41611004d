import { defineConfig } from "tsdown";

export default defineConfig([
  {
    entry: ["src/index.ts", "src/ai-sdk.ts"],
    format: "esm",
    platform: "node",
    dts: true,
  },
  {
    // One file loads faster than hundreds. What a command imports lazily stays a chunk of its own.
    entry: { cli: "src/cli/main.ts" },
    format: "esm",
    platform: "node",
    dts: false,
    minify: true,
    deps: {
      alwaysBundle: [/.*/],
      // Binaries and native addons find their files beside themselves, so they cannot move into a bundle; the PDF parser
      // is loaded by a thread of its own.
      neverBundle: [/^@vscode\/ripgrep/, /^@lydell\/node-pty/, /^(sharp|unpdf)$/, /\.node$/],
    },
    // Siblings come from source: packages build side by side, and their dist may not be there yet.
    outputOptions: {
      codeSplitting: {
        groups: [
          // What every command needs, as one file: opening files costs more than skipping code that is not used. The
          // entry stays outside, or a command that is loaded while the entry waits for it would wait for the entry. So
          // does the HTTP client of MCP servers, which brings a library that is as large as all of core.
          {
            name: "base",
            test: /packages\/(core|tools)\/src\/(?!shell\/|source\/mcp\/(?:net\/|transport\/http))|packages\/haft\/src\/(app|cli)\/(?!command\/|main\.ts|.*explain)/,
          },
        ],
      },
    },
    inputOptions: { resolve: { conditionNames: ["haft-source", "import", "node", "default"] } },
  },
]);
