import { failureText } from "../../exit-code.ts";
import { endQuietlyOnClosedPipe } from "../../terminal/terminal.ts";

/** The launcher of the bundle caches bytecode for this. */
export const commandNames: readonly string[] = ["hook"];

// `haft hook AGENT` runs before every tool call of another agent, so it is a bundle of its own: it loads what decides, and
// no tool, no server and no face. The other commands of `haft hook` are in main.ts.
endQuietlyOnClosedPipe();
// Agents go on after any other code, so an early end must not give one.
process.exitCode = 2;
import("./hook.ts")
  .then(({ hook }) => hook(process.argv.slice(3)))
  .then(
    (code) => {
      process.exitCode = code;
    },
    async (thrown) => {
      process.exitCode = 2;
      const { oneLine } = await import("../../../draw/sanitize.ts");
      process.stderr.write(`haft: ${failureText(thrown).split("\n").map(oneLine).join("\n")}\n`);
    },
  );
