import { EFFECT_WORDS } from "@haft/core/policy";
import type { Fire, FiringEnd, StoredSchedule } from "@haft/service/schedules";
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
    const openWith = (allow: readonly string[]) =>
      openRegistered(
        {
          ...stored,
          ...host,
          ...(host.model !== undefined || model === undefined ? {} : { model }),
          cwd: folder,
          mode: rehearsalMode(mode as AgentSessionOptions["mode"]),
          rules: { ...rules, allow },
          ask: "host",
          approvalTimeoutMs: deadlineMinutes * 60_000,
        },
        { kind: "schedule", ...(name === undefined ? {} : { label: name }) },
      );
    const { opened, gone } = await withKnownTools(openWith, grant);
    await using session = opened;
    const open = openQuestions(session, gone);
    session.on((event) => event.type === "tool:permission:request" && onAsk?.(schedule, event.request.title));
    const end = await session.prompt(prompt, { withMentions: false, waitsForAgents: true, signal });
    const said = { text: end.text || (end.why ?? ""), session: session.id };
    const status: FiringEnd["status"] =
      open.size > 0 ? "needs_you" : end.reason === "answered" ? "completed" : "failed";
    return { ...said, status, ...(open.size > 0 ? { open: [...open] } : {}) };
  };

/** Opens a session with a grant. Rules for tools that are gone since are left out: a grant with less in it only tightens. */
async function withKnownTools(
  open: (grant: readonly string[]) => Promise<AgentSession>,
  grant: readonly string[],
): Promise<{ readonly opened: AgentSession; readonly gone: readonly string[] }> {
  try {
    return { opened: await open(grant), gone: [] };
  } catch (thrown) {
    await using probe = await open([]);
    const gone = grant.map(toolOf).filter((name) => !effectWords.includes(name) && !probe.haft.registry.get(name));
    if (gone.length === 0) throw thrown;
    return { opened: await open(grant.filter((rule) => !gone.includes(toolOf(rule)))), gone };
  }
}

const effectWords: readonly string[] = EFFECT_WORDS;

/** The tool that a rule names, or the word of an effect. */
const toolOf = (rule: string): string => rule.split("(")[0] ?? rule;

/** The titles of the calls that were refused because nobody answered, and the granted tools that are gone. */
function openQuestions(session: AgentSession, gone: readonly string[]): ReadonlySet<string> {
  const open = new Set(gone.map((name) => `${name} is gone`));
  session.on((event) => {
    if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return;
    const { code } = event.outcome.result.error ?? {};
    if (code === "approval_expired" || code === "needs_approval") open.add(event.title);
  });
  return open;
}
