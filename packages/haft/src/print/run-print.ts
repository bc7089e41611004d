import { createMessageWriter, type StreamMessage } from "./messages.ts";
import { openPrint } from "./open-print.ts";
import { printTurn } from "./print-turn.ts";
import { type PrintOptions, Stream } from "./stream.ts";

/** Runs print mode. Returns whether the last run succeeded. */
export async function runPrint(options: PrintOptions): Promise<boolean> {
  const { flags, warn } = options;
  if (flags.ignored.length > 0) warn(`Ignored by Haft: ${flags.ignored.join(", ")}.\n`);
  return flags.input === "stream-json" ? new Stream(options).run() : runOnce(options);
}

/** One prompt of the command line. */
async function runOnce({ flags, session: base, version, write }: PrintOptions): Promise<boolean> {
  const opened = await openPrint(flags, base, undefined);
  await using session = opened.session;
  const { status } = opened.servers;
  const writer = createMessageWriter(session, { isPartial: flags.isPartial, version, servers: status });
  const isStream = flags.output === "stream-json";
  const line = (message: StreamMessage) => write(`${JSON.stringify(message)}\n`);
  if (isStream) await line(await writer.init());
  session.on((event) => {
    for (const message of writer.take(event)) if (isStream) void line(message);
  });
  const startedAt = Date.now();
  const { end, output } = await printTurn(session, flags.prompt, { waitsForAgents: true });
  if (isStream && output !== undefined) await line(writer.output(output));
  const result = writer.result(end, startedAt);
  if (flags.output === "text") await write(`${end.text || (end.why ?? String(result.errors ?? ""))}\n`);
  else await line(result);
  return result.is_error !== true;
}
