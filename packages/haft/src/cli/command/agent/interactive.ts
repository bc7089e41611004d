import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { remoteOptions } from "../../remote/open-placed.ts";
import { pipedInput, promptWith } from "../../terminal/standard-input.ts";
import { runOptions, spelledOut } from "./session-options.ts";

/**
 * `haft [PROMPT]`: a conversation in the terminal UI, or line by line with `--plain` or `--remote`. Without a terminal it runs the
 * prompt, or prints the usage if there is none. Each way is loaded on its own: a person waits for the first frame.
 */
export const interactive: Command = async (args) => {
  const { common, own, words } = readOptions(
    spelledOut(args),
    { ...runOptions, ...remoteOptions, plain: "boolean", scratch: "boolean" },
    1,
  );
  if (process.stdin.isTTY === true && process.stdout.isTTY === true) {
    const open =
      own.plain || own.remote !== undefined || wantsLines(process.env)
        ? (await import("./conversation.ts")).conversation
        : (await import("./full-screen.ts")).fullScreen;
    return open(common, own, words[0]);
  }
  const prompt = promptWith(words[0] ?? "", await pipedInput(false));
  if (prompt !== "" || own.agent !== undefined) return (await import("./run.ts")).runPrompt(prompt, common, own);
  const { helpText } = await import("../../command-table.ts");
  await new Promise<void>((written) => void process.stdout.write(`${helpText()}\n`, () => written()));
  return EXIT.ok;
};

/** The line prompt serves screen readers, and terminals that cannot move the cursor. */
const wantsLines = ({ TERM, INK_SCREEN_READER, CI }: NodeJS.ProcessEnv): boolean =>
  TERM === "dumb" || INK_SCREEN_READER === "true" || Boolean(CI);
