import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { FlagError, readFlags, runPrint } from "../../../print/index.ts";
import { quietSdk } from "../../../session/index.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { haftOptions } from "../../open-haft.ts";
import { readOptions } from "../../options.ts";
import { pipedInput, promptWith } from "../../terminal/standard-input.ts";
import { packageVersion } from "../../version.ts";
import { wishedModel } from "./model-choice.ts";

/** `haft -p`: prints the answer to one prompt, or speaks with a host in JSON lines. */
export const print: Command = async (args) => {
  const flags = (() => {
    try {
      return readFlags(args);
    } catch (thrown) {
      if (thrown instanceof FlagError) throw new UsageError(thrown.message, thrown.cure);
      throw thrown;
    }
  })();
  const isStream = flags.input === "stream-json";
  const prompt = isStream ? "" : promptWith(flags.prompt, await pipedInput(flags.prompt === ""));
  if (!isStream && prompt === "")
    throw new UsageError("There is no prompt.", 'Write haft -p "PROMPT", or pipe one in.');
  const { common } = readOptions([], {}, 0);
  const warn = (text: string) => void process.stderr.write(text);
  quietSdk();
  const model = wishedModel(flags);
  const isGood = await runPrint({
    flags: { ...flags, prompt, ...(model === undefined ? {} : { model }) },
    session: await haftOptions(common),
    version: await packageVersion(),
    // A reader of standard input would keep the process: a terminal has no end.
    lines: isStream
      ? createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
      : Readable.from([]),
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    warn,
  });
  return isGood ? EXIT.ok : EXIT.failed;
};
