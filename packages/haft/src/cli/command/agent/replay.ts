import { readFile } from "node:fs/promises";
import { counted } from "@haft/core/tool";
import {
  type Cassette,
  type Drift,
  drift,
  parseCassette,
  replayAsker,
  replayModel,
  replaySteering,
  withFolder,
} from "../../../agent/index.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { runOn } from "../../../session/index.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { openHaft } from "../../open-haft.ts";
import { readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { jsonNarrator, narrator } from "./narrator.ts";

/**
 * `haft replay CASSETTE`: replays a recorded session with its recorded answers, through the real tools and today's
 * policy. Exit code 0 only if every call ended as recorded.
 */
export const replay: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const [file] = words;
  if (file === undefined)
    throw new UsageError("Which cassette?", "Usage: haft replay CASSETTE. Record one with haft run --record.");
  const cassette = parseCassette(await readCassette(file), file);
  const terminal = processTerminal(real(common.cwd));
  using interrupt = onInterrupt();
  const place = { cwd: real(common.cwd) };
  await using haft = await openHaft(common, { ask: replayAsker(cassette, place) });
  const { print, style } = terminal;
  const tell = common.json ? jsonNarrator(print) : narrator({ style, write: print });
  haft.on(tell.onCall);
  const end = await runOn({
    haft,
    model: replayModel(cassette, place),
    messages: withFolder(cassette.opening, place.cwd),
    signal: interrupt.signal,
    // A recorded run that was ended from outside has no last message, so there is nothing more to request.
    maxTurns: Math.max(1, cassette.turns.length),
    onEvent: tell.onAgent,
    steer: replaySteering(cassette, place),
  });
  const drifted = drift(cassette, end.messages, place);
  await tell.end(end, { drift: drifted });
  if (!common.json) await terminal.print(`${drawDrift(cassette, drifted, end.turns)}\n`);
  if (end.reason === "cancelled") return EXIT.interrupted;
  return drifted.length === 0 && end.reason !== "error" ? EXIT.ok : EXIT.failed;
};

async function readCassette(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw new UsageError(
      `${file} cannot be read: ${(thrown as Error).message}.`,
      "Name a file made by haft run --record.",
    );
  }
}

/** `turns`: number of recorded messages that were played. */
function drawDrift(cassette: Cassette, drifted: readonly Drift[], turns: number): string {
  const calls = cassette.turns.reduce((sum, { results }) => sum + results.length, 0);
  if (drifted.length === 0) return `Replayed ${counted(calls, "call")}: no drift.`;
  const early = drifted.some(({ replayed }) => replayed === "absent") && turns < cassette.turns.length;
  return [
    `Drift in ${drifted.length} of ${counted(calls, "call")}:`,
    ...drifted.map(drawOne),
    ...(early ? [`The replay ended after message ${turns} of ${cassette.turns.length}.`] : []),
  ].join("\n");
}

function drawOne({ turn, callId, tool, recorded, replayed, says = "", text }: Drift): string {
  const call = `${oneLine(tool)} (${oneLine(callId)})`;
  if (recorded === "absent") return `  not recorded: ${call} is made now: ${replayed}`;
  const end = replayed === "absent" ? "is no longer made" : `is now ${replayed}${says ? `: ${shorten(says)}` : ""}`;
  return `  turn ${turn}: ${call} ${text ? drawText(text) : `was ${recorded} and ${end}`}`;
}

const drawText = ({ line, recorded, replayed }: NonNullable<Drift["text"]>): string =>
  `differs from line ${line} on:\n    - ${shorten(recorded)}\n    + ${shorten(replayed)}`;

const shorten = (text: string): string => {
  const line = oneLine(text);
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
};
