import {
  chmodSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { oneLine } from "../../draw/sanitize.ts";
import { UsageError } from "../exit-code.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** A change of another program's settings file. `undefined` stands for no file. */
export interface FileChange {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Shows the change of a file and asks, unless `isSure`. Returns whether to write it.
 *
 * @throws UsageError when nobody is there to agree.
 */
export async function agreesToChange({ file, before, after }: FileChange, isSure: boolean): Promise<boolean> {
  await processTerminal().print(`${oneLine(file)}\n${difference(before ?? "", after ?? "")}\n`);
  return isSure || agrees("Write this?");
}

/** Asks a question at the terminal. Without a terminal, the command must include the consent. */
export async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError("This change needs confirmation, and no terminal is attached.", "Add --yes to write it.");
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** Asks for a line at the terminal. A secret is not shown while it is typed. `undefined` if nobody is there. */
export async function asksForLine(question: string, isSecret: boolean): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { createInterface } = await import("node:readline/promises");
  const { Writable } = await import("node:stream");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(`${question} `);
  const lines = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    if (isSecret) process.stderr.write("\n");
  }
}

/** The removed and added lines. */
function difference(before: string, after: string): string {
  const [old, fresh] = [before, after].map((text) => text.split("\n"));
  const gone = old!.filter((line) => !fresh!.includes(line)).map((line) => `- ${oneLine(line)}`);
  const come = fresh!.filter((line) => !old!.includes(line)).map((line) => `+ ${oneLine(line)}`);
  return [...gone, ...come].join("\n");
}

/** Writes the changed file. Keeps a link as a link, and an existing file's permissions. */
export function writeChange({ file: named, after }: FileChange): void {
  const file = existsSync(named) ? realpathSync(named) : named;
  if (after === undefined) return void unlinkSync(file);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, after);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode !== undefined) chmodSync(draft, mode & 0o777);
  renameSync(draft, file);
}
