import type { Content } from "./content.ts";
import { text } from "./content.ts";
import type { Display } from "./display.ts";
import { errorText, type ToolError } from "./error.ts";

/** Information-flow labels of a result. `integrity` worst first: untrusted content taints everything that it touches. */
export interface Labels {
  readonly integrity?: "user" | "haft" | "workspace" | "stranger";
  readonly private?: boolean;
  /** The origins of untrusted content: a URL, a server, a file. */
  readonly sources?: readonly string[];
}

/** The location of the whole text of a shortened result. */
export interface Spilled {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  /** The part that the model got, in words: "the first 24,000 of 310,000 characters". */
  readonly shown: string;
}

/**
 * The result of a call: `content` for the model, `display` for people, `output` for programs, `error` when it failed. A
 * failed result has the same shape as a good one.
 */
export interface Result<O = unknown> {
  readonly content: readonly Content[];
  readonly output?: O;
  readonly display?: Display;
  readonly error?: ToolError;
  /** The final state of the live title and metadata. */
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly labels?: Labels;
  readonly spilled?: Spilled;
}

/** The result of a failed call: the model reads the message and the hint. */
export const failure = (error: ToolError, rest: Omit<Partial<Result>, "error"> = {}): Result => ({
  content: [text(errorText(error))],
  ...rest,
  error,
});
