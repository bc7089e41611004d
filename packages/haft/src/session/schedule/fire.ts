import type { Fire, FiringEnd, StoredSchedule } from "@haft/service";
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
  (host: FiringOptions, onAsk?: (schedule: StoredSchedule, title: string) => void): Fire =>
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
    const open = openQuestions(session, grant);
    session.on((event) => event.type === "tool:permission:request" && onAsk?.(schedule, event.request.title));
    const end = await session.prompt(prompt, { withMentions: false, waitsForAgents: true, signal });
    const said = { text: end.text || (end.why ?? ""), session: session.id };
    const status: FiringEnd["status"] =
      open.size > 0 ? "needs_you" : end.reason === "answered" ? "completed" : "failed";
    return { ...said, status, ...(open.size > 0 ? { open: [...open] } : {}) };
  };

/** The titles of the calls that were refused because nobody answered, and the granted tools that are gone. */
function openQuestions(session: AgentSession, grant: readonly string[]): ReadonlySet<string> {
  const open = new Set<string>();
  session.on((event) => {
    if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return;
    const { code } = event.outcome.result.error ?? {};
    if (code === "approval_expired" || code === "needs_approval") open.add(event.title);
    const isGone = code === "unknown_tool" || code === "tool_unavailable";
    if (isGone && grant.some((rule) => rule.split("(")[0] === event.call.tool)) open.add(`${event.call.tool} is gone`);
  });
  return open;
}
