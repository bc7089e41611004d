import { basename } from "@haft/core/tool";
import { only, type Value } from "../../word/value.ts";
import { parseOptions } from "../options.ts";
import { textReaders } from "../text-tables.ts";

/**
 * The output of a command that does not end, or not before a machine is full. It counts in a pipeline only: as a word nothing is known of
 * it.
 */
const ENDLESS_LINES: Value = { kind: "one", head: "" };
/** The same without line ends. */
const ENDLESS_BYTES: Value = { kind: "one", head: "" };

export const NEVER_ENDS = "It keeps everything that it reads, and its input never ends.";

export const isEndless = (value: Value | undefined): boolean => value === ENDLESS_LINES || value === ENDLESS_BYTES;

/** The content of an endless device that a word names, also at its end: `if=/dev/zero`. */
export function endlessFile(word: string): Value | undefined {
  const [, device] = /(?:^|=|^-[a-zA-Z])\/dev\/(zero|u?random)$/.exec(word) ?? [];
  return device === undefined ? undefined : device === "zero" ? ENDLESS_BYTES : ENDLESS_LINES;
}

/** Programs that pass on their input, and programs that only show the device itself or read nothing. */
const STREAMS = /^(cat|head|tr|dd|od|xxd|hexdump|hd|base(64|32|nc)|fold|strings|cmp|wc|\w+sum|cksum|tee|yes|seq)$/;
const LOOKS = /^(ls|stat|file|test|\[|readlink|realpath|dirname|basename|find|du|df|echo|printf|true|false|:|sleep)$/;
/** Programs that hold one line at a time. */
const LINEWISE = /^([ef]?grep|rg|sed|[gmn]?awk|cut|nl|rev|paste|uniq|expand|unexpand|col|iconv)$/;
/** The ones among these that break lines at a maximum length. */
const BREAKS_LINES = /^(od|xxd|hexdump|hd|base(64|32|nc)|fold|strings)$/;
/** Programs that print only after their input has ended, or print something other than their input. */
const TELLS = /^(cmp|wc|\w+sum|cksum|tee)$/;

const given = (args: readonly Value[], piped: Value | undefined): Value | undefined =>
  args.map((arg) => endlessFile(only(arg) ?? "")).find(Boolean) ?? (isEndless(piped) ? piped : undefined);

/** Whether a program stores endless input. */
export function keepsEndless(program: string, args: readonly Value[], piped: Value | undefined): boolean {
  const [name, input] = [basename(program), given(args, piped)];
  if (input === undefined || STREAMS.test(name) || LOOKS.test(name)) return false;
  return input === ENDLESS_BYTES || !LINEWISE.test(name);
}

/** The output of a program, if it does not end. */
export function endlessFrom(program: string, args: readonly Value[], piped: Value | undefined): Value | undefined {
  const name = basename(program);
  if (name === "yes" || (name === "seq" && countsFar(args))) return ENDLESS_LINES;
  const input = given(args, piped);
  if (input === undefined || TELLS.test(name) || !(STREAMS.test(name) || LINEWISE.test(name))) return undefined;
  if (isCutOff(name, args)) return undefined;
  return BREAKS_LINES.test(name) ? ENDLESS_LINES : input;
}

/** `seq 1e12`: safe numbers have at most six digits, and few after the point. */
const countsFar = (args: readonly Value[]): boolean =>
  args.some((arg) => {
    const word = only(arg) ?? "";
    return /^[-+]?[\d.]|^inf/i.test(word) && !/^[-+]?\d{1,6}(\.\d{0,2})?$/.test(word);
  });

/** An amount that any machine can hold. */
const AMOUNT = /^\+?(\d{1,8}|\d{1,5}[kK]B?|\d{1,2}MB?)$/;
/** How programs other than `head` are told to stop. */
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
