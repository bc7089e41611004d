import { type PermissionUpdate, permissionUpdateOf, suggestionTaken } from "./permission-update.ts";
import type { Asker } from "./request.ts";

/** What such a callback is told beside the tool and its input. */
export interface CanUseToolOptions {
  /** Fires when somebody else answered, the call was cancelled or the time is over. */
  readonly signal: AbortSignal;
  /** What may be given back as `updatedPermissions`, so that it is not asked again: the narrowest first. */
  readonly suggestions: readonly PermissionUpdate[];
  readonly toolUseID: string;
  /** Which subagent asks; absent for the agent itself. */
  readonly agentID?: string;
  /** Why it is asked. */
  readonly decisionReason: string;
  /** What would happen, in a few words. */
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
 * Who answers, from a `canUseTool` callback: `createHaft({ ask: canUseToolAsker(callback) })`. It is asked where rules and
 * mode ask. An input that it changed is decided anew, and a rule is remembered only if it was suggested.
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
      throw new Error("updatedPermissions hold what was not suggested; give back one of options.suggestions.");
    // Whatever else it says is looked at as in any answer: a second word may be a no.
    return {
      ...rest,
      ...(updatedInput === undefined ? {} : { input: updatedInput }),
      ...(remember ? { remember } : {}),
    };
  };
