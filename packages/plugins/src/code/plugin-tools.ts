import { fromAgentTool } from "@haft/core/compat/agent-tool";
import { HaftError, type Tool } from "@haft/core/tool";
import type { DeclaredTool } from "../discovery/declared-tools.ts";
import { type PluginProcess, type PluginProcessOptions, startPlugin } from "./plugin-process.ts";

export interface PluginToolsOptions extends PluginProcessOptions {
  readonly name: string;
  /** The tools that were agreed to; others that the module registers are ignored. */
  readonly tools: readonly DeclaredTool[];
  onProblem(message: string): void;
}

/** Starts of a crashing plugin in one session; after that its tools fail at once. */
const MOST_STARTS = 3;

/** The tools of a plugin's module. Its process starts at the first call. */
export function pluginTools(options: PluginToolsOptions): { readonly tools: readonly Tool[]; close(): Promise<void> } {
  const { name: plugin, onProblem } = options;
  let starts = 0;
  let running: Promise<PluginProcess> | undefined;

  function started(): Promise<PluginProcess> {
    if (running) return running;
    if (++starts > MOST_STARTS) throw failure(`The plugin ${plugin} has crashed ${MOST_STARTS} times.`);
    const process = startPlugin(options);
    running = process;
    const forget = (): void => {
      if (running === process) running = undefined;
    };
    process.then(
      ({ ended }) => ended.then(forget),
      (thrown: Error) => {
        forget();
        onProblem(`The plugin ${plugin} did not start: ${thrown.message}`);
      },
    );
    return process;
  }

  const failure = (message: string): HaftError =>
    new HaftError({
      code: "execution_failed",
      message,
      hint: `Go on without it; \`haft plugin remove ${plugin}\` removes it.`,
    });

  const tools = options.tools.map((tool) =>
    fromAgentTool({
      ...{ ...tool, parameters: tool.parameters as never },
      async execute(_, params, signal = new AbortController().signal, onUpdate = () => undefined) {
        let process: PluginProcess;
        try {
          process = await started();
        } catch (thrown) {
          throw HaftError.is(thrown)
            ? thrown
            : failure(`The plugin ${plugin} did not start: ${(thrown as Error).message}`);
        }
        return resultOf(await process.call(tool.name, params, signal, (partial) => onUpdate(resultOf(partial))));
      },
    }),
  ) as readonly Tool[];

  return {
    tools,
    async close() {
      starts = MOST_STARTS;
      await running?.then((process) => process.close()).catch(() => undefined);
    },
  };
}

type AgentResult = Awaited<ReturnType<Parameters<typeof fromAgentTool>[0]["execute"]>>;

/** A plugin may return anything; content blocks that cannot be read become text. */
function resultOf(output: unknown): AgentResult {
  const content = (output as { content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(content))
    return { content: [{ type: "text", text: typeof output === "string" ? output : (JSON.stringify(output) ?? "") }] };
  return {
    content: content.map((block) =>
      block?.type === "text" && typeof block.text === "string"
        ? { type: "text", text: block.text }
        : block?.type === "image" && typeof block.data === "string"
          ? { type: "image", data: block.data, mimeType: String(block.mimeType) }
          : { type: "text", text: JSON.stringify(block) ?? "" },
    ),
    details: (output as { details?: unknown }).details,
  };
}
