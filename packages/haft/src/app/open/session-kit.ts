/** @module The parts of a session that a single call does without, at least at first: notes, skills, instructions, agents, servers, approvals. */
import { openAgents } from "../agents/open-agents.ts";
import { askedCalls } from "../approval/asked-calls.ts";
import { openApprovals } from "../approval/open-approvals.ts";
import { openExtensions } from "../extend/open-extensions.ts";
import { openInstructions } from "../instructions/open-instructions.ts";
import { deferralOf } from "../mcp/deferral.ts";
import { initialToolList } from "../mcp/initial-tool-list.ts";
import { loginProblems, openMcp } from "../mcp/open-mcp.ts";
import { openSessionState } from "../session/session-ports.ts";

/** Opens them all. */
export const wholeSession = {
  ...{ openSessionState, openExtensions, openInstructions, openAgents, openApprovals, askedCalls },
  ...{ openMcp, deferralOf, loginProblems, initialToolList },
};

/** How these parts are opened. */
export type SessionKit = typeof wholeSession;
