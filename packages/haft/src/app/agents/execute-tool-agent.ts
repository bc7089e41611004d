import type { DelegationRequest, ToolAgentEvents, ToolAgentResult } from "@haft/core/compat/tool-define";
import type { ToolAgentSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import { type DelegatedSkill, delegateTask } from "@haft/tools/delegation";
import type { Haft } from "../haft.ts";

/** The context in which a delegated task is carried out. */
export interface ToolAgentContext {
  /** The Haft whose agents carry it out, under its rules. */
  readonly haft: Haft;
  readonly skills?: readonly DelegatedSkill[];
  readonly abortSignal?: AbortSignal;
  /** Combined with the settings: the tighter value counts. */
  readonly settings?: Pick<ToolAgentSettings, "maxToolCalls" | "timeoutMs" | "autoConfirmDangerous">;
}

/**
 * Lets an agent carry out a task and reports every step. Provider and model come from the settings (`toolAgent`), else from
 * the session.
 *
 * @throws HaftError `tool_unavailable` where no model is configured for agents, `limit_reached` where none may be started.
 */
export async function executeToolAgent(
  request: DelegationRequest,
  { haft, skills, abortSignal, settings = {} }: ToolAgentContext,
  events?: ToolAgentEvents,
): Promise<ToolAgentResult> {
  const agents =
    haft.agents ?? fail("tool_unavailable", "No model is configured for agents.", "Give createHaft a model.");
  const options = { agents, clock: { now: Date.now }, ...settings };
  return delegateTask(
    request,
    { ...options, ...(skills ? { skills } : {}), ...(abortSignal ? { signal: abortSignal } : {}) },
    events,
  );
}
