import type { AgentSessionOptions } from "../../../session/index.ts";
import { UsageError } from "../../exit-code.ts";
import { wishedModel } from "./model-choice.ts";

/** The options of a conversation, in addition to the common ones. */
export const runOptions = {
  model: "string",
  agent: "string",
  "max-turns": "string",
  "max-cost": "string",
  record: "string",
  continue: "boolean",
  resume: "string",
  fork: "boolean",
} as const;

export interface RunWish {
  readonly model?: string;
  readonly agent?: string;
  readonly "max-turns"?: string;
  readonly "max-cost"?: string;
  readonly record?: string;
  readonly continue?: true;
  readonly resume?: string;
  readonly fork?: true;
  /** The folder is temporary: the conversation cannot be resumed. */
  readonly scratch?: true;
}

const SHORT: Readonly<Record<string, string>> = { "-c": "--continue", "-r": "--resume" };

/** Arguments with the short options spelled out, and --resume with its id, or empty without one. */
export function spelledOut(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const own = (end < 0 ? args : args.slice(0, end)).map((word) => SHORT[word] ?? word);
  const words: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const [word = "", next] = [own[at], own[at + 1]];
    if (word !== "--resume") words.push(word);
    else if (next !== undefined && ONE_WORD.test(next)) words.push(`--resume=${own[++at]}`);
    else words.push("--resume=");
  }
  return end < 0 ? words : [...words, ...args.slice(end)];
}

/** Any one word is an id, so that a mistyped one is reported. A prompt of one word goes after `--`, or before the option. */
const ONE_WORD = /^[^\s-]\S*$/;

/** The options of a session by those of the command line. @throws UsageError for an invalid number. */
export function sessionOptions(wish: RunWish): Partial<AgentSessionOptions> {
  const model = wishedModel(wish);
  const resume = wish.continue ? "last" : wish.resume;
  if (wish.fork && resume === undefined)
    throw new UsageError("--fork needs a session to copy.", "Add --continue, or --resume ID.");
  const maxTurns = numberOf("--max-turns", wish["max-turns"], Number.isInteger);
  const money = numberOf("--max-cost", wish["max-cost"], Number.isFinite);
  return {
    ...(model === undefined ? {} : { model }),
    ...(wish.agent === undefined ? {} : { agent: wish.agent }),
    ...(resume === undefined ? {} : { resume }),
    ...(wish.fork ? { fork: true } : {}),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(money === undefined ? {} : { budget: { money } }),
  };
}

function numberOf(option: string, text: string | undefined, isFit: (value: number) => boolean): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && isFit(value) && value > 0) return value;
  const cure = option === "--max-turns" ? "Use a whole number from 1." : "Use a number above 0, such as 2.50.";
  throw new UsageError(`${option} ${text} is not a valid number.`, cure);
}
