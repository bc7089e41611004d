import { openForCall } from "../../app/create-haft.ts";
import { real } from "../../app/workspace.ts";
import { drawError, drawResult } from "../../draw/outcome.ts";
import { attendedAsker } from "../approval/attended-asker.ts";
import { callIds } from "../call-id.ts";
import type { Command } from "../command.ts";
import { exitCodeOf, UsageError } from "../exit-code.ts";
import { readInput } from "../json-text.ts";
import { usedCallIds } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { openPlaced, remoteOptions } from "../remote/open-placed.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** `haft call TOOL [JSON|-]`: makes make one tool call; with `--dry-run` nothing is applied. */
export const call: Command = async (args) => {
  const { common, own, words } = readOptions(args, { "dry-run": "boolean", ...remoteOptions }, 2);
  const [tool, word] = words;
  if (tool === undefined) throw new UsageError("Which tool?", "Usage: haft call TOOL [JSON|-]. See haft tools list.");
  const terminal = processTerminal(real(common.cwd));
  const typed = await readInput(word);
  using interrupt = onInterrupt();
  const ask = word === "-" ? undefined : attendedAsker(terminal);
  const options = { fromProgram: true, ...(ask ? { ask } : {}) };
  await using haft = await openPlaced(own, common, options, (placed) => openForCall(placed, tool));

  const id = callIds(usedCallIds(haft, common)).next();
  const [outcome] = await haft.run([{ id, tool, ...typed }], {
    signal: interrupt.signal,
    ...(own["dry-run"] ? { dryRun: true } : {}),
  });
  const { status, result } = outcome!;
  if (common.json) {
    const { callLine } = await import("../call-line.ts");
    await terminal.print(`${JSON.stringify(callLine(outcome!))}\n`);
  } else {
    // A failed call may still have output, such as that of a command.
    const body = result.error && result.output === undefined ? "" : drawResult(result, terminal.style);
    if (body !== "") await terminal.print(`${body}\n`);
    if (result.error) terminal.tell(`${drawError(outcome!, terminal.newsStyle)}\n`);
    if (result.output === undefined && result.error?.code === "needs_approval")
      terminal.tell(`After approval, repeat the command with --session ${haft.session.id}\n`);
  }
  return exitCodeOf(status, result.error);
};
