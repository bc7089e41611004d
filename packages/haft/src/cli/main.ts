import { nearest } from "@haft/core/schema";
import { commandHelp, commands, helpText } from "./command-table.ts";
import { EXIT, UsageError } from "./exit-code.ts";
import { WITH_VALUE } from "./options.ts";
import { endQuietlyOnClosedPipe } from "./terminal/terminal.ts";

/** The launcher of the bundle caches bytecode for these. */
export const commandNames: readonly string[] = commands.map(({ name }) => name);

endQuietlyOnClosedPipe();
// Failed until it ends: an exit because nothing is left to wait for is not a success.
end(EXIT.failed);
main(process.argv.slice(2)).then(end, async (thrown) => {
  end(EXIT.usage);
  // It may quote files of an untrusted folder.
  const { drawFailure } = await import("./draw-notice.ts");
  process.stderr.write(`haft: ${drawFailure(thrown)}\n`);
});

/** Not process.exit: data written to a pipe must be delivered first. */
function end(code: number): void {
  process.exitCode = code;
}

async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = commandFirst(args);
  if (first === "--help" || first === "-h" || first === "help") {
    const about = commands.find(({ name }) => name === rest[0]);
    return print(about ? commandHelp(about) : helpText());
  }
  if (first === "--version" || first === "-v") return print(await (await import("./version.ts")).packageVersion());
  const command = commands.find(({ name }) => name === first);
  // As a host starts it, by options alone: a command's own options come after its name.
  if (!command && (await import("./wants-print.ts")).wantsPrint(args))
    return (await import("./command/agent/print.ts")).print(args);
  if (!command) return talk(args, first);
  if (asksForHelp(rest)) return print(commandHelp(command));
  const run = await command.load();
  return run(rest);
}

/** Arguments after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

/** Options may come before a command; the first word that is not part of one moves to the front. */
function commandFirst(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at]?.startsWith("-") && args[at] !== "--" && args[at] !== "-") {
    const takesValue = takenBy(args[at]!) && !args[at]!.includes("=");
    at += takesValue ? 2 : 1;
  }
  const word = args[at];
  return word === undefined || at === 0 ? args : [word, ...args.slice(0, at), ...args.slice(at + 1)];
}

/** Whether the argument after an option belongs to it. */
function takenBy(option: string): boolean {
  return WITH_VALUE.has(option.replace(/^--/, "").split("=", 1)[0]!);
}

/** Without a command, the words are a prompt; but a first word that resembles a command is a typing error. */
async function talk(args: readonly string[], first: string | undefined): Promise<number> {
  const names = commands.map(({ name }) => name);
  const close = first && /^[a-z-]+$/i.test(first) && !first.startsWith("-") ? nearest(first, names) : undefined;
  if (close !== undefined) throw new UsageError(`There is no command "${first}".`, `Did you mean haft ${close}?`);
  const { interactive } = await import("./command/agent/interactive.ts");
  return interactive(args);
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}
