import { basename } from "@haft/core/tool";
import { only, type Value } from "../../word/value.ts";
import { parseOptions } from "../options.ts";
import { textReaders } from "../text-tables.ts";

/**
 * What a command prints that does not end by itself, or not before a machine is full. It counts in a pipeline only: as a word nothing is
 * known of it.
 */
export const ENDLESS_LINES: Value = { kind: "one", head: "" };
/** The same where no line ends either. */
export const ENDLESS_BYTES: Value = { kind: "one", head: "" };

export const NEVER_ENDS = "It keeps all that it reads, and what it is given never ends.";

export const isEndless = (value: Value | undefined): boolean => value === ENDLESS_LINES || value === ENDLESS_BYTES;

/** What a device gives that never ends, where a word names it, at its end too: `if=/dev/zero`. */
export function endlessFile(word: string): Value | undefined {
  const [, device] = /(?:^|=|^-[a-zA-Z])\/dev\/(zero|u?random)$/.exec(word) ?? [];
  return device === undefined ? undefined : device === "zero" ? ENDLESS_BYTES : ENDLESS_LINES;
}

/** Programs that hand on what they read, and those that look at the device only or read none. */
const STREAMS = /^(cat|head|tr|dd|od|xxd|hexdump|hd|base(64|32|nc)|fold|strings|cmp|wc|\w+sum|cksum|tee|yes|seq)$/;
const LOOKS = /^(ls|stat|file|test|\[|readlink|realpath|dirname|basename|find|du|df|echo|printf|true|false|:|sleep)$/;
/** Programs that keep one line at a time. */
const LINEWISE = /^([ef]?grep|rg|sed|[gmn]?awk|cut|nl|rev|paste|uniq|expand|unexpand|col|iconv)$/;
/** Of these, programs that end each line after so much. */
const BREAKS_LINES = /^(od|xxd|hexdump|hd|base(64|32|nc)|fold|strings)$/;
/** Programs that print something only when their input has ended, or not what they read. */
const TELLS = /^(cmp|wc|\w+sum|cksum|tee)$/;

const given = (args: readonly Value[], piped: Value | undefined): Value | undefined =>
  args.map((arg) => endlessFile(only(arg) ?? "")).find(Boolean) ?? (isEndless(piped) ? piped : undefined);

/** Whether a program keeps what it reads, and that never ends. */
export function keepsEndless(program: string, args: readonly Value[], piped: Value | undefined): boolean {
  const [name, input] = [basename(program), given(args, piped)];
  if (input === undefined || STREAMS.test(name) || LOOKS.test(name)) return false;
  return input === ENDLESS_BYTES || !LINEWISE.test(name);
}

/** What a program prints, where that does not end. */
export function endlessFrom(program: string, args: readonly Value[], piped: Value | undefined): Value | undefined {
  const name = basename(program);
  if (name === "yes" || (name === "seq" && countsFar(args))) return ENDLESS_LINES;
  const input = given(args, piped);
  if (input === undefined || TELLS.test(name) || !(STREAMS.test(name) || LINEWISE.test(name))) return undefined;
  if (isCutOff(name, args)) return undefined;
  return BREAKS_LINES.test(name) ? ENDLESS_LINES : input;
}

/** `seq 1e12`: no number of it has more than six digits, or many behind the point. */
const countsFar = (args: readonly Value[]): boolean =>
  args.some((arg) => {
    const word = only(arg) ?? "";
    return /^[-+]?[\d.]|^inf/i.test(word) && !/^[-+]?\d{1,6}(\.\d{0,2})?$/.test(word);
  });

/** As much as a machine holds without effort. */
const AMOUNT = /^\+?(\d{1,8}|\d{1,5}[kK]B?|\d{1,2}MB?)$/;
/** How else than `head` a program is told to end. */
const ENDS: Readonly<Record<string, RegExp>> = {
  dd: /^count=(?!0*\d{6})\d+$/,
  od: /^(-N.*|--read-bytes.*)$/,
  xxd: /^-l(en)?$/,
  hexdump: /^(-[a-zA-Z]*n.*|--length.*)$/,
  hd: /^-n.*$/,
};

function isCutOff(name: string, args: readonly Value[]): boolean {
  if (name !== "head") return args.some((arg) => ENDS[name]?.test(only(arg) ?? ""));
  const parsed = parseOptions(args, textReaders.head!.options);
  if (typeof parsed === "string") return false;
  return parsed.given.every(
    ({ value }) => value === undefined || value.kind === "number" || AMOUNT.test(only(value) ?? ""),
  );
}
