import type { Fire, FiringEnd } from "@haft/service";
import { openRegistered } from "../open-session.ts";
import type { AgentSession, AgentSessionOptions } from "../session.ts";
import { rehearsalMode } from "./rehearse.ts";

/** Minutes until an unanswered question counts as a no. */
const DEADLINE_MINUTES = 10;

/** Options that a host of schedules passes on to every firing: folders, and how models are opened. */
export type FiringOptions = Pick<
  AgentSessionOptions,
  "home" | "env" | "stateDir" | "model" | "openModel" | "onNotice" | "wrapModel"
>;

/**
 * Runs one firing in a session of its own. Its grant is silent; anything else asks in the inbox, and counts as refused when
 * nobody answers by the deadline. The run goes on either way.
 */
export const createFire =
  (host: FiringOptions): Fire =>
  async (schedule, signal) => {
    const { options, folder, mode, grant, model, name, prompt, deadlineMinutes = DEADLINE_MINUTES } = schedule;
    const { rules, ...stored } = options as AgentSessionOptions;
    await using session = await openRegistered(
      {
        ...stored,
        ...host,
        ...(host.model !== undefined || model === undefined ? {} : { model }),
        cwd: folder,
        mode: rehearsalMode(mode as AgentSessionOptions["mode"]),
        rules: { ...rules, allow: grant },
        ask: "host",
        approvalTimeoutMs: deadlineMinutes * 60_000,
      },
      { kind: "schedule", ...(name === undefined ? {} : { label: name }) },
    );
    const open = openQuestions(session);
    const end = await session.prompt(prompt, { withMentions: false, waitsForAgents: true, signal });
    const said = { text: end.text || (end.why ?? ""), session: session.id };
    const status: FiringEnd["status"] =
      open.size > 0 ? "needs_you" : end.reason === "answered" ? "completed" : "failed";
    return { ...said, status, ...(open.size > 0 ? { open: [...open] } : {}) };
  };

/** The titles of the calls that were refused because nobody answered. */
function openQuestions(session: AgentSession): ReadonlySet<string> {
  const open = new Set<string>();
  session.on((event) => {
    if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return;
    const { result } = event.outcome;
    if (result.error?.code === "approval_expired" || result.error?.code === "needs_approval") open.add(event.title);
  });
  return open;
}
