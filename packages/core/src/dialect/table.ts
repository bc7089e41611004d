/** One tool under the names that a model family knows. */
export interface DialectTool {
  /** The tool behind it, by Haft's name. */
  readonly tool: string;
  /** The family's name for it. */
  readonly name: string;
  /** The family's name of each parameter, by Haft's. Unlisted ones keep their name. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Parameters that the family does not have. */
  readonly omit?: readonly string[];
  /** Parameters that need more than another name. */
  readonly convert?: readonly Conversion[];
  /** The description for this family. Default: the tool's own, with the family's names in it. */
  readonly description?: string;
}

/** The names of one model family. A tool may be listed twice: models are offered the first name, and may call both. */
export interface DialectTable {
  readonly name: string;
  readonly tools: readonly DialectTool[];
}

export type Input = Readonly<Record<string, unknown>>;

/** Parameters of a family that need more than another name. */
export interface Conversion {
  /** Haft's parameters that these replace. */
  readonly ours: readonly string[];
  /** The family's parameters: a JSON Schema for each. */
  readonly theirs: Readonly<Record<string, object>>;
  /** Those of them that a call must have. */
  readonly required?: readonly string[];
  /** Haft's parameters for those of a call. Errors in the values are left to the tool's own schema. */
  toOurs(input: Input): Input;
  /** The family's word for each of Haft's parameters in texts. */
  readonly says?: Readonly<Record<string, string>>;
}
