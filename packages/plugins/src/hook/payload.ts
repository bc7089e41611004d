import { type AgentRef, contentsText, errorText, type Result, type SessionRef } from "@haft/core/tool";
import type { LiveEvent } from "./occasion.ts";

/** Session data that every event carries. */
export interface Scene {
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  readonly mode: string;
}

/** The main agent, which is not a subagent. */
const MAIN = "main";

/** The fields that all events have, by their documented names. */
export function commonFields(event: LiveEvent, { agent, session, cwd, mode }: Scene, transcript: string): object {
  const isSubagent = agent.parent !== undefined || agent.id !== MAIN;
  return {
    session_id: session.id,
    transcript_path: transcript,
    cwd,
    permission_mode: mode,
    hook_event_name: event,
    ...(isSubagent ? { agent_id: agent.id, ...(agent.name === undefined ? {} : { agent_type: agent.name }) } : {}),
  };
}

/** A result as hooks get it: the output as data if there is any, else the text that the model reads. */
export const responseOf = (result: Result): unknown => result.output ?? contentsText(result.content);

/** Why a call failed, as a text. */
export const failureOf = (result: Result): string =>
  result.error ? errorText(result.error) : contentsText(result.content);
