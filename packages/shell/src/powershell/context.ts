import type { Effect } from "@haft/core/tool";
import type { ShellContext } from "../analysis.ts";
import type { Part } from "./tokens.ts";

/** The place where a PowerShell script will run. */
export interface PowerShellContext extends ShellContext {
  readonly platform: string;
}

/** One argument: the words between commas, or a block. */
export type Given =
  | { readonly block: string }
  | { readonly words: readonly (readonly Part[])[]; readonly text: string };

/** A command that passes its output to the next one. */
export interface Fed {
  readonly name: string;
  readonly effects: readonly Effect[];
}
