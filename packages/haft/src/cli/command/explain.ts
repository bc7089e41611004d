import { openForCall } from "../../app/create-haft.ts";
import { explanationAnswer } from "../../app/explain/explanation-answer.ts";
import { drawExplanation } from "../../draw/decision.ts";
import type { Command } from "../command.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { readInput, readLines } from "../json-text.ts";
import { modeOf } from "../mode.ts";
import { type CommonOptions, readOptions } from "../options.ts";
import { openPlaced, type RemoteWish, remoteOptions } from "../remote/open-placed.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { lineWriter } from "../terminal/line-writer.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** `haft explain TOOL [JSON|-]`, or many calls with `--jsonl`: shows what would be decided, and why. Runs nothing. */
export const explain: Command = async (args) => {
  const { common, own, words } = readOptions(args, { jsonl: "string", ...remoteOptions }, 2);
  if (own.jsonl !== undefined && words.length > 0) {
    throw new UsageError(`"${words[0]}" and --jsonl cannot be combined.`, "With --jsonl, each line names its tool.");
  }
  if (own.jsonl !== undefined && own.remote !== undefined)
    throw new UsageError(
      "--jsonl and --remote exclude each other.",
      "Name one call: haft explain TOOL JSON --remote ….",
    );
  return own.jsonl === undefined ? explainOne(words, common, own) : explainLines(own.jsonl, common);
};

async function explainOne([tool, word]: readonly string[], common: CommonOptions, wish: RemoteWish): Promise<number> {
  if (tool === undefined) throw new UsageError("Which tool?", "Usage: haft explain TOOL [JSON|-].");
  const terminal = processTerminal();
  const typed = await readInput(word);
  if ("json" in typed)
    throw new UsageError("The arguments are not JSON.", 'Quote them: haft explain Bash \'{"command": "ls"}\'.');
  // The decision for a remote tool depends on its server's description; nothing else needs servers.
  const options = { lookOnly: true, withoutServers: !tool.includes("__") };
  await using haft = await openPlaced(wish, common, options, (placed) => openForCall(placed, tool));
  const explanation = await haft.explain(tool, typed.input);
  await terminal.print(
    common.json
      ? `${JSON.stringify(explanationAnswer(explanation))}\n`
      : `${drawExplanation(explanation, terminal.style)}\n`,
  );
  return EXIT.ok;
}

async function explainLines(source: string, common: CommonOptions): Promise<number> {
  const [{ createLineExplainer }, { builtinTools }, { createHost }, { projectRoot, real }] = await Promise.all([
    import("../../app/explain/explain-line.ts"),
    import("@haft/tools"),
    import("@haft/host/process"),
    import("../../app/workspace.ts"),
  ]);
  const terminal = processTerminal();
  const cwd = real(common.cwd);
  const host = createHost({ cwd });
  const mode = modeOf(common.mode);
  const { allow, ask, deny } = common;
  const explainer = createLineExplainer({
    host,
    tools: await builtinTools(),
    rules: { allow, ask, deny },
    root: projectRoot(cwd),
    ...(mode ? { mode } : {}),
  });
  using interrupt = onInterrupt();
  const writer = lineWriter((text) => terminal.print(text));
  let number = 0;
  try {
    for await (const line of readLines(source, interrupt.signal)) {
      await writer.write(JSON.stringify(await explainer.explain(line, ++number)));
    }
  } catch (thrown) {
    if (!interrupt.signal.aborted) throw thrown;
  } finally {
    await writer.flush();
    await host.close();
  }
  return interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
}
