import type { Infer, Schema, SchemaLike } from "../schema/standard.ts";
import type { Content } from "./content.ts";
import type { Absent, CallContext, CallRef, EffectContext, OfferContext, Progress } from "./context.ts";
import type { Display } from "./display.ts";
import type { Effect, EffectWord } from "./effect.ts";
import type { ErrorCode } from "./error.ts";
import type { Kind } from "./kind.ts";

/** Why an input that fits the schema still cannot be used. */
export interface Problem {
  readonly message: string;
  readonly code?: ErrorCode;
  readonly hint?: string;
}

/** A tool's objection to one call. It can only tighten: calls that a rule denies or asks about stay so. */
export interface Objection {
  readonly behavior: "ask" | "deny";
  readonly reason: string;
  /** The input that should run instead. The call is then parsed and decided again. A tool corrects an input once. */
  readonly input?: unknown;
  /** With `ask`: rules for this tool that a person may choose to remember. Calls that one of them allows are not asked about. */
  readonly suggestions?: readonly OwnSuggestion[];
}

/** Rules of a tool's own that let it run without asking again. */
export interface OwnSuggestion {
  readonly label: string;
  /** Each names this tool: `Deploy(target:staging)`. */
  readonly rules: readonly string[];
  readonly scope: "session" | "project" | "user";
}

/** A corrected input to run in place of the given one. The call is parsed and decided again. */
export type Correction = Pick<Objection, "input"> & { readonly behavior?: never };

/** Texts for people about a call. The input may still be streaming, so every field may be missing. */
export interface Description {
  /** "Read src/a.ts" */
  readonly title?: string;
  /** "Reading src/a.ts", for a spinner. */
  readonly activity?: string;
  /** One more line for a prompt: the consequences of the call. */
  readonly summary?: string;
}

/** Overrides for properties that otherwise follow from the effects, with the reason. */
export interface Override {
  readonly kind?: Kind;
  readonly isReadOnly?: boolean;
  /** `false`: the call runs alone. `true` counts only if calls are not ordered by their effects. */
  readonly isConcurrencySafe?: boolean;
  readonly isDestructive?: boolean;
  readonly because: string;
}

/** The grammar of `Tool(specifier)`: a shell command, a path to read or write, `domain:host`, an agent, a skill. */
export const specifierKinds = ["command", "read", "write", "domain", "agent", "skill"] as const;

/** How permission rules and tool lists refer to a tool. They can use its name without any of this. */
export interface RuleTraits {
  /** The meaning of `Tool(specifier)`. Default: only `Tool(field:value)` rules are possible. */
  readonly specifier?: (typeof specifierKinds)[number];
  /** The language of its commands, if it is not the POSIX shell's: names compare without regard to case. */
  readonly language?: "powershell";
  /**
   * A bare deny or ask rule for the named tool also covers this one. Default: `Edit` for a tool that writes files and
   * runs no commands, `Read` for one that only reads files.
   */
  readonly family?: string;
  /** The groups that contain it: `fs` is `group:fs`. Default for a built-in tool: its folder. */
  readonly groups?: readonly string[];
  /** Tools whose whole work it can do, so that denying one of them denies it too. */
  readonly substitutes?: readonly string[];
  /** Further input fields that rules may name, besides those of the schema: spellings of other agents. */
  readonly fields?: readonly string[];
}

/** A tool's own limits, which override the defaults in the settings. */
export interface Limits {
  /** Limit for a result in characters; the rest is spilled to a file. Default 100,000; `Infinity` never spills. */
  readonly resultChars?: number;
  /** Timeout of `run` in milliseconds. Waiting for a person does not count. Default: no limit. */
  readonly timeoutMs?: number;
}

/**
 * A tool. Any plain object of this shape is one; it does not need to extend a class. Only the first five fields are
 * required; `defineTool` fills the rest and infers the types.
 */
export interface Tool<I = unknown, O = unknown> {
  /** The only identity: the model calls it and rules match it. */
  readonly name: string;
  /** Text for the model. A function may depend on the other tools in the offer. */
  readonly description: string | ((offer: OfferContext) => string | Promise<string>);
  readonly input: Schema<I>;
  /** An upper bound of what a call with this input may do. A throw counts as `unknown`. Relative paths are allowed. */
  effects(input: I, ctx: EffectContext): readonly Effect[] | Promise<readonly Effect[]>;
  /** Runs the call. A generator's yields are progress, its return value the output. */
  run(input: I, ctx: CallContext): Promise<O> | O | AsyncGenerator<Progress, O>;

  /** The static bound; every list that `effects` returns is within it. Default: `unknown`. */
  readonly can?: readonly EffectWord[];
  /** A name for people. */
  readonly title?: string;
  /** Old and foreign names. They work in calls, lists and rules; the model does not see them. */
  readonly aliases?: readonly string[];
  /** How permission rules and tool lists refer to it. */
  readonly rules?: RuleTraits;
  /** Three to ten words that help a tool search find this tool. */
  readonly searchHint?: string;
  /** `deferred`: only the name is listed until the model loads it. Default `auto`. */
  readonly offer?: "always" | "deferred" | "auto";
  /** Whether the tool exists for this request; a missing port is one such reason. Called for every list and every call. */
  when?(ctx: OfferContext): true | Absent;
  /** `false` hides the tool until a setting enables it. */
  readonly enabled?: boolean;
  /** `true`: a read-only call that would ask by default is allowed. Never beats a rule or the workspace boundary. */
  readonly autoExecute?: boolean;
  /** Text for the system prompt of a request that offers the tool. */
  prompt?(ctx: OfferContext): string | undefined | Promise<string | undefined>;
  readonly output?: Schema<O>;
  /** Checks that need the world, after the schema check and before permission. Changes nothing. */
  validate?(input: I, ctx: EffectContext): Problem | undefined | Promise<Problem | undefined>;
  /** Asks for a person, refuses or corrects the input, if the tool knows better than the rules. Runs after `validate`. */
  object?(input: I, ctx: EffectContext): Objected | Promise<Objected>;
  /** Whether `Tool(specifier)` covers a call with this input, for the `if` of hooks. */
  matches?(input: I, specifier: string): boolean;
  /**
   * The content of an approval: a diff with old and new content, the command by its parts. A `fail(...)` here means
   * that the call would certainly fail: it ends with that error, and nobody is asked.
   */
  preview?(input: I, ctx: EffectContext): Display | Promise<Display>;
  describe?(input: Partial<I>): Description;
  /** Whether this call is a dry run: its commands run in a view, and none of their changes become real. The ports enforce it. */
  isDryRun?(input: I): boolean;
  /** Adds derived fields (an absolute path) for hooks, faces and the log. The model's own bytes stay unchanged. */
  observe?(input: I, ctx: EffectContext): Readonly<Record<string, unknown>>;
  /** The output for the model. Default: a string as text, anything else as JSON. */
  toModel?(output: O, call: Pick<CallRef, "id">): readonly Content[];
  toDisplay?(output: O, input: I): Display;
  /** Sources of untrusted content in the output, in addition to those in the effects: addresses, servers. */
  sources?(output: O): readonly string[];
  /** A message about an input that does not fit the schema, in place of the default one. */
  explainInvalid?(issues: readonly { path: readonly (string | number)[]; message: string }[]): string;
  readonly limits?: Limits;
  /** The effect of a user's interrupt: `cancel` kills the call, `block` lets it finish first. Default `cancel`. */
  readonly onInterrupt?: "cancel" | "block";
  readonly override?: Override;
  /** The same for one input; it takes precedence over `override`. A throw counts as the most careful override. */
  overrideFor?(input: I): Override | undefined;
}

/** The result of `object`; `undefined` lets the call go on. */
export type Objected = Objection | Correction | undefined;

/** A tool as its author writes it; `defineTool` turns it into a `Tool`. */
export type ToolDefinition<S extends SchemaLike, O, Out extends SchemaLike = SchemaLike> = Partial<
  Omit<Tool<Infer<S>, O>, "name" | "description" | "input" | "effects" | "run" | "output">
> & {
  readonly name: string;
  readonly description: Tool<Infer<S>, O>["description"];
  readonly input: S;
  readonly output?: Out;
  effects?(input: Infer<S>, ctx: EffectContext): readonly Effect[] | Promise<readonly Effect[]>;
  run(input: Infer<S>, ctx: CallContext): Promise<O> | O | AsyncGenerator<Progress, O>;
};
