import type { CallRequest } from "@haft/core/executor";
import { openForCalls } from "../../app/create-haft.ts";
import type { Haft } from "../../app/haft.ts";
import { attendedAsker } from "../approval/attended-asker.ts";
import { type CallIds, callIds } from "../call-id.ts";
import { callLine, repeatedIdLine } from "../call-line.ts";
import type { Command } from "../command.ts";
import { EXIT, type ExitCode, exitCodeOf, worstExit } from "../exit-code.ts";
import { readLines } from "../json-text.ts";
import { usedCallIds } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { openPlaced, remoteOptions } from "../remote/open-placed.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { processTerminal } from "../terminal/terminal.ts";
import { parseBatchLine, type WrittenCall } from "./batch-line.ts";

/**
 * `haft batch [FILE|-]`: JSON lines in, JSON lines out, each answer as soon as it is known. With `--dry-run` nothing is
 * applied.
 */
export const batch: Command = async (args) => {
  const { common, own, words } = readOptions(args, { "dry-run": "boolean", ...remoteOptions }, 1);
  const [source = "-"] = words;
  const terminal = processTerminal();
  using interrupt = onInterrupt();
  const ask = source === "-" ? undefined : attendedAsker(terminal);
  const wanted = { fromProgram: true, ...(ask ? { ask } : {}) };
  await using haft = await openPlaced(own, common, wanted, (placed) => openForCalls(placed));

  const ids = callIds(usedCallIds(haft, common));
  const codes = new Set<ExitCode>();
  const print = (answer: object): Promise<void> => terminal.print(`${JSON.stringify(answer)}\n`);

  const options = { signal: interrupt.signal, dryRun: own["dry-run"] === true };
  let number = 0;
  try {
    for await (const line of readLines(source, interrupt.signal)) {
      number++;
      if (line.trim() === "") continue;
      const parsed = parseBatchLine(line);
      if ("error" in parsed) {
        codes.add(EXIT.usage);
        await print({ line: number, status: "error", error: parsed.error });
        continue;
      }
      for await (const { answer, code } of runBatch(haft, ids, parsed.calls, options)) {
        codes.add(code);
        await print(answer);
      }
    }
  } catch (thrown) {
    if (!interrupt.signal.aborted) throw thrown;
  }
  return interrupt.signal.aborted ? EXIT.interrupted : worstExit(codes);
};

/**
 * Runs the calls of one line together. Answers come in the order of the calls, each as soon as the previous ones are
 * out.
 */
async function* runBatch(
  haft: Haft,
  ids: CallIds,
  calls: readonly WrittenCall[],
  { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean },
) {
  // Every wait adds a listener: a signal for each line releases them with the line.
  const open = haft.open({ signal: AbortSignal.any([signal]), dryRun });
  const answers = calls.map(({ id, ...call }) => {
    if (id !== undefined && !ids.take(id)) {
      return { answer: repeatedIdLine(id, call.tool), code: EXIT.failed } as const;
    }
    const request: CallRequest = { ...call, id: id ?? ids.next() };
    return open.add(request).then((outcome) => ({
      answer: callLine(outcome),
      code: exitCodeOf(outcome.status, outcome.result.error),
    }));
  });
  const ended = open.end();
  for (const answer of answers) yield await answer;
  await ended;
}
