import type { Effect } from "@haft/core/tool";
import type { ShellContext } from "../analysis.ts";
import type { Part } from "./tokens.ts";

/** Where a PowerShell script is going to run. */
export interface PowerShellContext extends ShellContext {
  readonly platform: string;
}

/** One argument: what was written between commas, or a block. */
export type Given =
  | { readonly block: string }
  | { readonly words: readonly (readonly Part[])[]; readonly text: string };

/** A command whose output the next one gets. */
export interface Fed {
  readonly name: string;
  readonly effects: readonly Effect[];
}
