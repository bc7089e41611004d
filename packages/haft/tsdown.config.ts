import { fileURLToPath } from "node:url";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { thirdParty } from "../../scripts/third-party.ts";

/** A script that is started with its bytecode cannot import or resolve; what starts it does. */
const importThroughStarter: Rolldown.Plugin = {
  name: "import-through-starter",
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== "chunk" || !part.code.includes("import(")) continue;
      const found: number[] = [];
      JSON.stringify(this.parse(part.code), (_key, node) => {
        if (node?.type === "ImportExpression") found.push(node.start);
        return typeof node === "bigint" ? undefined : node;
      });
      for (const at of found.sort((a, b) => b - a)) part.code = `${part.code.slice(0, at)}__${part.code.slice(at)}`;
    }
  },
};

/** An import that is left over from types would make users install an optional package. */
const withoutBareImports: Rolldown.Plugin = {
  name: "without-bare-imports",
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === "chunk" && part.fileName.endsWith(".d.mts"))
        part.code = part.code.replace(/^import "[^"]+";\n/gm, "");
  },
};

/** V8 keeps a source in memory, at two bytes a character when one of them needs it. */
const inAscii: Rolldown.Plugin = {
  name: "in-ascii",
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === "chunk" && !part.fileName.endsWith(".d.mts"))
        part.code = part.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
  },
};

/** The libraries of the terminal UI are a module of their own, which the launcher imports: a script cannot wait for them. */
const inkApart: Rolldown.Plugin = {
  name: "ink-apart",
  resolveId: (id) => (id === "./ink.ts" ? { id: "../dist/ink.mjs", external: true } : undefined),
};

/** The MCP SDK's platform module, without Ajv. */
const lightPlatform = {
  "@modelcontextprotocol/client/_shims": fileURLToPath(import.meta.resolve("../mcp/src/sdk/platform.ts")),
};

/** In the library the tools share a file: opening a file for each costs more than evaluating all. */
const toolsTogether: Rolldown.Plugin = {
  name: "tools-together",
  transform(code, id) {
    if (!id.endsWith("/packages/tools/src/builtin/index.ts")) return undefined;
    const imports: string[] = [];
    const together = code.replace(/\(await import\((".+?")\)\)\.(\w+)/g, (_, path: string, symbol: string) => {
      imports.push(`import { ${symbol} } from ${path};`);
      return symbol;
    });
    if (imports.length === 0) throw new Error(`${id} loads no tool in the form that the build knows.`);
    return { code: `${imports.join("\n")}\n${together}` };
  },
};

/** Siblings come from source: packages build side by side, and their dist may not be there yet. */
const SOURCES_FIRST = ["haft-source", "import", "node", "default"];

/** One file for the tools of a kind: a session needs them all, a call one of them. */
function toolsOf(id: string): string | null {
  const kind = /\/tools\/src\/builtin\/([a-z]+)\//.exec(id)?.[1];
  return kind === undefined ? null : `tools-${kind}`;
}

/**
 * A program of the command line. One file loads faster than hundreds. Lazy imports of a command stay chunks of their
 * own. Scripts and not modules: only of scripts can `bin/haft.mjs` keep the bytecode.
 */
const program = (
  name: string,
  entries: { readonly main: string; readonly eager: Readonly<Record<string, string>> },
  plugins: readonly Rolldown.Plugin[] = [],
): UserConfig => ({
  entry: { [name]: entries.main, ...entries.eager },
  format: "cjs",
  platform: "node",
  dts: false,
  minify: true,
  define: { "import.meta.resolve": "__resolve" },
  plugins: [inkApart, importThroughStarter, inAscii, ...plugins],
  alias: {
    // Its main file loads its parts in a way that no bundler can follow.
    "jsonc-parser": fileURLToPath(import.meta.resolve("jsonc-parser")).replace("/umd/", "/esm/"),
    ...lightPlatform,
  },
  deps: {
    alwaysBundle: [/.*/],
    // Binaries and native addons find their files beside themselves, so they cannot move into a bundle; the PDF parser
    // is loaded by a thread of its own.
    neverBundle: [
      /^@vscode\/ripgrep/,
      // Installed by those who use a queue.
      /^@haft\/workers/,
      /^@lydell\/node-pty/,
      /^(sharp|unpdf|defuddle|linkedom|playwright-core)$/,
      /\.node$/,
    ],
  },
  outputOptions: {
    // Only names with a digest have bytecode, and the starter knows the name of the first entry alone.
    entryFileNames: (chunk) => (chunk.name === name ? "[name].cjs" : "[name]-[hash].cjs"),
    codeSplitting: {
      groups: [
        // The code that a call needs, as one file: opening files costs more than skipping unused code. The entry stays
        // outside, or a command that is loaded while the entry waits for it would wait for the entry.
        {
          name: `${name}-base`,
          tags: ["$initial"],
          test: (id) => !id.endsWith(entries.main.replace(/^src/, "")),
          priority: 1,
        },
        // The same for a call that starts programs, and for one where there are settings.
        { name: "call-kit", test: /\/app\/open\/call-kit\.ts$/ },
        {
          name: "programs",
          test: /\/(?:app\/processes\/open-programs|sandbox\/src\/index|host\/src\/process\/program)\.ts$/,
        },
        { name: "settings", test: /\/app\/settings\/read-settings\.ts$/ },
        { name: "tools-support", test: /\/tools\/src\/builtin\/support\// },
        { name: (id) => toolsOf(id) },
        { name: "session", test: /\/app\/(?:open\/session-kit|public-api)\.ts$/ },
      ],
    },
  },
  inputOptions: { resolve: { conditionNames: SOURCES_FIRST } },
});

/** Libraries of many small files, which every import of `haft` needs: as one file they load in a fraction of the time. */
const MANY_FILES = [/^typebox(?:\/|$)/, "croner", "diff", "json5", "smol-toml", "yaml"];
/** Libraries of one file that are not worth a dependency of those who install Haft. */
const SMALL = ["robots-parser"];

export default defineConfig([
  {
    // A framework's adapter is an entry of its own: importing one loads no other.
    entry: ["src/index.ts", "src/embed/*.ts", "!src/embed/*.test.ts"],
    root: "src",
    format: "esm",
    platform: "node",
    dts: true,
    plugins: [toolsTogether, inAscii, withoutBareImports],
    // The other packages move in, and with them the MCP SDK (see packages/mcp/src/sdk/sdk.ts), whose types stay outside.
    alias: lightPlatform,
    deps: {
      alwaysBundle: [/^@haft\/(?!workers)/, /^@modelcontextprotocol\/client/, ...MANY_FILES, ...SMALL],
      onlyBundle: [
        /^@modelcontextprotocol\//,
        "zod",
        "pkce-challenge",
        /^eventsource/,
        "jose",
        ...MANY_FILES,
        ...SMALL,
      ],
      dts: { alwaysBundle: [/^@haft\//], neverBundle: [/^@modelcontextprotocol\//, ...MANY_FILES] },
    },
    inputOptions: { resolve: { conditionNames: SOURCES_FIRST } },
  },
  {
    // The program for remote machines: one file, since nothing is installed there.
    entry: { "remote-agent": "../remote/src/agent-main.ts" },
    format: "esm",
    platform: "node",
    dts: false,
    minify: true,
    deps: { alwaysBundle: [/.*/], neverBundle: [/^@vscode\/ripgrep/] },
    outputOptions: { codeSplitting: false },
    inputOptions: { resolve: { conditionNames: SOURCES_FIRST } },
  },
  {
    entry: { ink: "src/terminal/ink.ts" },
    format: "esm",
    platform: "node",
    dts: false,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    deps: { alwaysBundle: [/.*/], neverBundle: ["react-devtools-core"] },
  },
  program("cli", { main: "src/cli/main.ts", eager: { call: "src/cli/command/call.ts" } }, [thirdParty()]),
  // A part of the first one, so its licences stand in the list of that.
  program("hook", {
    main: "src/cli/command/hook/hook-main.ts",
    eager: {
      command: "src/cli/command/hook/hook.ts",
      decide: "src/cli/command/hook/decide.ts",
      shell: "../shell/src/index.ts",
    },
  }),
]);
