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

/** A tool's own wish about one call. It can only tighten: what a rule denies or asks about stays so. */
export interface Objection {
  readonly behavior: "ask" | "deny";
  readonly reason: string;
  /** The input that should run instead. The call is then parsed and decided anew. A tool corrects an input once. */
  readonly input?: unknown;
  /** With `ask`: rules for this tool that a person may choose to remember. A call that one of them allows is not asked about. */
  readonly suggestions?: readonly OwnSuggestion[];
}

/** Rules of a tool's own for which it need not ask again. */
export interface OwnSuggestion {
  readonly label: string;
  /** Each names this tool: `Deploy(target:staging)`. */
  readonly rules: readonly string[];
  readonly scope: "session" | "project" | "user";
}

/** An input that a tool wants to run in place of the one that came. The call is parsed and decided anew. */
export type Correction = Pick<Objection, "input"> & { readonly behavior?: never };

/** Texts for people about a call. The input may still be streaming, so every field may be missing. */
export interface Description {
  /** "Read src/a.ts" */
  readonly title?: string;
  /** "Reading src/a.ts", for a spinner. */
  readonly activity?: string;
  /** One line more, for a prompt: what it would mean. */
  readonly summary?: string;
}

/** Properties that follow from the effects unless a tool overrides one, and says why. */
export interface Override {
  readonly kind?: Kind;
  readonly isReadOnly?: boolean;
  /** `false`: the call runs alone. `true` counts only where calls are not ordered by their effects. */
  readonly isConcurrencySafe?: boolean;
  readonly isDestructive?: boolean;
  readonly because: string;
}

/** The grammar of `Tool(specifier)`: a shell command, a path that is read or written, `domain:host`, an agent, a skill. */
export const specifierKinds = ["command", "read", "write", "domain", "agent", "skill"] as const;

/** How permission rules and tool lists refer to a tool. They can find it by its name without any of this. */
export interface RuleTraits {
  /** What `Tool(specifier)` means. Default: only `Tool(field:value)` rules are possible. */
  readonly specifier?: (typeof specifierKinds)[number];
  /** The language of its commands, where that is not the POSIX shell's: names compare without regard to case. */
  readonly language?: "powershell";
  /**
   * The tool whose bare deny or ask rule also means this one. Default: `Edit` for a tool that writes files and runs no
   * commands, `Read` for one that only reads files.
   */
  readonly family?: string;
  /** Lists of which it is a member: `fs` is `group:fs`. Default for a built-in tool: its folder. */
  readonly groups?: readonly string[];
  /** Tools whose whole work it can do, so that denying one of them denies it too. */
  readonly substitutes?: readonly string[];
  /** Further input fields that rules may name, beside those of the schema: spellings of other agents. */
  readonly fields?: readonly string[];
}

/** A tool's own limits, over the settings' defaults. */
export interface Limits {
  /** Characters of a result that the model gets; more is spilled to a file. Default 100,000; `Infinity` never spills. */
  readonly resultChars?: number;
  /** Milliseconds that `run` may take. Waiting for a person does not count. Default: no limit. */
  readonly timeoutMs?: number;
}

/**
 * A tool. Any plain object of this shape is one: no class has to be extended. Only the first five fields are needed;
 * `defineTool` fills the rest and infers the types.
 */
export interface Tool<I = unknown, O = unknown> {
  /** The only identity: what the model calls and what rules match. */
  readonly name: string;
  /** Text for the model. A function may depend on what is offered beside it. */
  readonly description: string | ((offer: OfferContext) => string | Promise<string>);
  readonly input: Schema<I>;
  /** Everything that a call with this input may at most do. A throw counts as `unknown`. Relative paths are allowed. */
  effects(input: I, ctx: EffectContext): readonly Effect[] | Promise<readonly Effect[]>;
  /** Does it. A generator's yields are progress, its return value the output. */
  run(input: I, ctx: CallContext): Promise<O> | O | AsyncGenerator<Progress, O>;

  /** The static bound; every list that `effects` returns stays within it. Default: `unknown`. */
  readonly can?: readonly EffectWord[];
  /** A name for people. */
  readonly title?: string;
  /** Old and foreign names. They work in calls, lists and rules; the model is not told of them. */
  readonly aliases?: readonly string[];
  /** How permission rules and tool lists refer to it. */
  readonly rules?: RuleTraits;
  /** Three to ten words by which a search for tools finds this one. */
  readonly searchHint?: string;
  /** `deferred`: only the name is listed until the model loads it. Default `auto`. */
  readonly offer?: "always" | "deferred" | "auto";
  /** Whether the tool exists for this request; a missing port is such a reason. Asked for every list and every call. */
  when?(ctx: OfferContext): true | Absent;
  /** `false` hides the tool until a setting enables it. */
  readonly enabled?: boolean;
  /** `true`: a read-only call that would ask by default is allowed. Never beats a rule or the workspace's edge. */
  readonly autoExecute?: boolean;
  /** Words for the system prompt of a request in which the tool is offered. */
  prompt?(ctx: OfferContext): string | undefined | Promise<string | undefined>;
  readonly output?: Schema<O>;
  /** Checks that need the world, after the schema and before permission. Changes nothing. */
  validate?(input: I, ctx: EffectContext): Problem | undefined | Promise<Problem | undefined>;
  /** Asks for a person, refuses or corrects the input, where the tool knows better than the rules. Runs after `validate`. */
  object?(input: I, ctx: EffectContext): Objected | Promise<Objected>;
  /** Whether a call with this input is one that `Tool(specifier)` means, for the `if` of hooks. */
  matches?(input: I, specifier: string): boolean;
  /**
   * What an approval shows: a diff with old and new content, the command by its parts. A `fail(...)` here says that the call is
   * sure to fail: it ends with that error, and nobody is asked.
   */
  preview?(input: I, ctx: EffectContext): Display | Promise<Display>;
  describe?(input: Partial<I>): Description;
  /** Whether this call only tries: its commands run in a view, and nothing that they change becomes real. The ports see to it. */
  isDryRun?(input: I): boolean;
  /** Adds derived fields (an absolute path) that hooks, faces and the log see. The model's own bytes stay as they were. */
  observe?(input: I, ctx: EffectContext): Readonly<Record<string, unknown>>;
  /** Output as the model reads it. Default: a string as text, anything else as JSON. */
  toModel?(output: O, call: Pick<CallRef, "id">): readonly Content[];
  toDisplay?(output: O, input: I): Display;
  /** Strangers whose words the output holds, beside those that the effects name: addresses, servers. */
  sources?(output: O): readonly string[];
  /** Words about an input that does not fit the schema, in place of the default ones. */
  explainInvalid?(issues: readonly { path: readonly (string | number)[]; message: string }[]): string;
  readonly limits?: Limits;
  /** What a user's interrupt does: kill it, or let it finish first. Default `cancel`. */
  readonly onInterrupt?: "cancel" | "block";
  readonly override?: Override;
  /** The same for one input, over `override`. One that throws counts as the careful answer to everything. */
  overrideFor?(input: I): Override | undefined;
}

/** What `object` may say; nothing lets the call go on. */
export type Objected = Objection | Correction | undefined;

/** What a tool author writes; `defineTool` turns it into a `Tool`. */
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
