/**
 * The result of work that a killed process had begun. `taken_back`: all writes of a group were undone, except for
 * paths that others have changed since. `applied`: all changes of a command in its view are applied. `held`: they are
 * held. `unknown`: a command worked in the workspace itself, and its changes are not known.
 */
export type Recovered = {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
} & (
  | { readonly end: "taken_back"; readonly paths: number; readonly kept: number }
  | { readonly end: "applied" }
  /** `ways`: what to do with them, in the words of the surrounding program. */
  | { readonly end: "held"; readonly held: string; readonly ways: string }
  | { readonly end: "unknown" }
);

/** Called once for each, by the process that finishes it. */
export type OnRecovered = (recovered: Recovered) => void;
