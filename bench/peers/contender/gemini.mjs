// Gemini CLI core as a library: its tools, without approval. No model is reached.
import { join } from "node:path";
import * as core from "@google/gemini-cli-core";

export const open = async ({ cwd, home, count = 0 }) => {
  const config = new core.Config({
    ...{ sessionId: "bench", targetDir: cwd, cwd, model: "gemini-2.5-pro", debugMode: false, interactive: false },
    usageStatisticsEnabled: false,
  });
  await config.storage.initialize();
  // Its own ripgrep comes with the command line, not with the library.
  config.getRipgrepPath = async () => join(home, "bin/rg");
  config.getBaseLlmClient = () => ({ generateJson: async () => ({}) });
  const bus = config.messageBus ?? config.getMessageBus();
  const kinds = {
    read: core.ReadFileTool,
    glob: core.GlobTool,
    grep: core.RipGrepTool,
    edit: core.EditTool,
    write: core.WriteFileTool,
    shell: core.ShellTool,
  };
  const tools = Object.fromEntries(Object.entries(kinds).map(([name, Tool]) => [name, new Tool(config, bus)]));
  const call = async (name, input) => {
    const { error, llmContent } = await tools[name].validateBuildAndExecute(input, new AbortController().signal);
    const text = typeof llmContent === "string" ? llmContent : JSON.stringify(llmContent);
    if (error || text.startsWith("Error")) throw new Error(error?.message ?? text);
    return text;
  };
  const policy = new core.PolicyEngine({
    rules: Array.from({ length: count }, (_, at) => ({
      ...{ toolName: at % 2 ? "run_shell_command" : "replace", decision: "deny", priority: 1 },
      argsPattern: new RegExp(at % 2 ? `"command":"command${at} ` : `"file_path":"/dir${at}/`),
    })),
  });
  return {
    ops: {
      read: ({ path }) => call("read", { file_path: path }),
      glob: ({ pattern }) => call("glob", { pattern }),
      grep: ({ pattern }) => call("grep", { pattern }),
      edit: ({ path, from, to }) =>
        call("edit", { file_path: path, old_string: from, new_string: to, instruction: "Change the line." }),
      shell: ({ command }) => call("shell", { command }),
      shellParallel: ({ commands }) => Promise.all(commands.map((command) => call("shell", { command }))),
      decide: () => policy.check({ name: "run_shell_command", args: { command: "git status" } }, undefined),
      definitions: () => JSON.stringify(Object.values(tools).map((tool) => tool.schema)),
      result: ({ tool, input }) => call(tool, input),
    },
  };
};
