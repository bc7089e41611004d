import { type PermissionUpdate, permissionUpdateOf, suggestionTaken } from "./permission-update.ts";
import type { Asker } from "./request.ts";

/** The options of such a callback, besides the tool and its input. */
export interface CanUseToolOptions {
  /** Fires when somebody else answered, the call was cancelled or the timeout expired. */
  readonly signal: AbortSignal;
  /** The allowed values of `updatedPermissions`, which avoid asking again: the narrowest first. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly toolUseID: string;
  /** The subagent that asks; absent for the agent itself. */
  readonly agentID?: string;
  /** The reason for asking. */
  readonly decisionReason: string;
  /** A few words about what the call would do. */
  readonly title: string;
}

/** The answer of such a callback. */
export type PermissionResult =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly unknown[];
    }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** The callback that agent SDKs ask whether a tool may be used. */
export type CanUseTool = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  options: CanUseToolOptions,
) => PermissionResult | undefined | Promise<PermissionResult | undefined>;

/**
 * An asker from a `canUseTool` callback: `createHaft({ ask: canUseToolAsker(callback) })`. It is asked where rules and
 * mode ask. An input that it changed is decided again, and a rule is remembered only if it was suggested.
 */
export const canUseToolAsker =
  (canUseTool: CanUseTool): Asker =>
  async ({ tool, input, suggestions, callId, agent, why, title }, signal) => {
    const said = await canUseTool(tool, input as Readonly<Record<string, unknown>>, {
      signal,
      suggestions: suggestions.map(permissionUpdateOf),
      toolUseID: callId,
      ...(agent.id === "main" ? {} : { agentID: agent.id }),
      decisionReason: why,
      title,
    });
    if (said?.behavior !== "allow") return said;
    const { updatedInput, updatedPermissions = [], ...rest } = said;
    const remember = suggestionTaken(updatedPermissions, suggestions);
    if (updatedPermissions.length > 0 && !remember)
      throw new Error("updatedPermissions contain a rule that was not suggested; return one of options.suggestions.");
    // Other fields are checked as in any answer: one of them may be a no.
    return {
      ...rest,
      ...(updatedInput === undefined ? {} : { input: updatedInput }),
      ...(remember ? { remember } : {}),
    };
  };
