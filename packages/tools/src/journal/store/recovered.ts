/**
 * How something that a killed process had begun came to its end. `taken_back`: of writes that belong together all were taken
 * back, but for paths that others have changed since. `held`: what a command had changed in its view is kept aside.
 * `unknown`: nobody knows what a command did in the workspace itself.
 */
export type Recovered = {
  readonly session: string;
  readonly call: string;
  readonly tool: string;
} & (
  | { readonly end: "taken_back"; readonly paths: number; readonly kept: number }
  /** `ways`: how one goes on with it, in the words of the program around. */
  | { readonly end: "held"; readonly held: string; readonly ways: string }
  | { readonly end: "unknown" }
);

/** Told of each, once, by whichever process brings it to its end. */
export type OnRecovered = (recovered: Recovered) => void;
