import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsText } from "@haft/core/tool";
import type { HaftOptions } from "../../src/app/haft.ts";
import { mcpWorkspace, USER_SETTINGS } from "./mcp-workspace.ts";

/** The scripted language server. */
export const LANGUAGE_SERVER = fileURLToPath(new URL("language-server.mjs", import.meta.url));

/** The text of its file `a.words`. */
export const WORDS = "def one\nuse one\ndef two\n";

/** A workspace with the scripted server in the settings. `starts` has a line for each start. */
export async function languagePlace(more: object = {}, options: HaftOptions = {}) {
  const workspace = mcpWorkspace({ "work/a.words": WORDS, "work/b.words": "def three\n" });
  const log = join(workspace.base, "starts");
  const lsp = {
    words: { command: process.execPath, args: [LANGUAGE_SERVER, `log=${log}`], extensions: ["words"], ...more },
  };
  const file = join(workspace.base, USER_SETTINGS);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, JSON.stringify({ lsp }));
  const haft = await workspace.open(options);
  const call = async (name: string, input: object) => {
    const { error, content } = await haft.call(name, input);
    return error ? `${error.code}: ${error.message}` : contentsText(content);
  };
  return {
    ...{ ...workspace, haft, call },
    lsp: (operation: string, more: object = {}) => call("LSP", { operation, filePath: "a.words", ...more }),
    starts: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    async [Symbol.asyncDispose]() {
      await haft[Symbol.asyncDispose]();
      workspace[Symbol.dispose]();
    },
  };
}
