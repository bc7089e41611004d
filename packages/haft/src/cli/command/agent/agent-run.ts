import {
  type AgentEnd,
  type AgentEvent,
  type Message,
  type Model,
  runAgent,
  type SessionHooks,
  userMessage,
} from "../../../agent/index.ts";
import type { Haft } from "../../../app/haft.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";

export interface RunOptions {
  readonly haft: Haft;
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  readonly maxTurns?: number;
  readonly onEvent: (event: AgentEvent) => void;
  /** What is said between turns. Default: which background jobs have ended meanwhile. */
  steer?(): readonly Message[];
  /** The hooks of the session. A replay has none: what they said is in the recording. */
  readonly hooks?: SessionHooks;
  /** Nobody goes on after this run: agents in the background are waited for, and the model hears of their end. */
  readonly waitsForAgents?: boolean;
}

/** The AI SDK prints what it thinks of a model to standard error, where only our own words belong. */
export function quietSdk(): void {
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
}

/** Runs the agent. A person's plain no ends the run: they are about to say what they want instead. */
export async function runOn({ haft, hooks, waitsForAgents = false, ...options }: RunOptions): Promise<AgentEnd> {
  let refused = false;
  const silence = haft.on((event) => {
    if (event.type !== "tool:permission:response" || event.answer.behavior !== "deny") return;
    // A no to another agent ends that one's work.
    if (event.agent.parent !== undefined && !event.answer.interrupt) return;
    if (!event.answer.message || event.answer.interrupt) refused = true;
  });
  try {
    return await runAgent({
      ...options,
      onEvent(event) {
        if (event.type === "request" && event.turn === 1) haft.prepare();
        options.onEvent(event);
      },
      offer: () => haft.offer({ deferred: options.model.withholdsTools ? "withheld" : true }),
      executor: haft,
      desk: haft.desk,
      steer: options.steer ?? (() => jobNews(haft)),
      async beforeEnd(text) {
        const more = (await hooks?.beforeEnd(text)) ?? {};
        if (!waitsForAgents || more.stop !== undefined || (more.messages ?? []).length > 0) return more;
        return { messages: await agentNews(haft, options.signal) };
      },
      system: systemPrompt(haft),
      stopAfter: () => (refused ? "the user said no" : undefined),
    });
  } finally {
    silence();
  }
}

/** Tells of jobs that ended meanwhile. Without their output: it is a stranger's, and this goes in as the user's words. */
const jobNews = ({ jobs }: Haft): readonly Message[] =>
  jobs.finished().map(({ id, exitCode, signal, endedBy }) => {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
    const why = endedBy === "timeout" ? ": its time was over" : "";
    return userMessage(`[Background job ${id} ${how}${why}. TaskOutput shows what it said.]`);
  });

/** Waits for the next agent in the background to end, and tells of it; nothing where none works. */
async function agentNews({ agents, desk }: Haft, signal: AbortSignal): Promise<readonly Message[]> {
  const isWorking = agents?.list().some(({ background, status }) => background && status === "running");
  // An abort ends the run anyway.
  if (isWorking) await desk.inbox.arrival(signal).catch(() => {});
  return desk.take();
}

/** What a model has to know of where it works; what the tools add to it comes with the offer. */
const systemPrompt = ({ cwd }: Haft): string =>
  [
    `You are a careful software engineer. You work in ${cwd} on ${process.platform}, through the tools you are given.`,
    "Look before you change. A refused call is refused by the user's rules: find another way or say what you need.",
    "When the work is done, say briefly what you did and what you found.",
  ].join("\n");

/** 0 for an answer; 1 when the model failed or a limit ended the run. */
export function exitOf({ reason }: AgentEnd): ExitCode {
  if (reason === "answered" || reason === "stopped") return EXIT.ok;
  return reason === "cancelled" ? EXIT.interrupted : EXIT.failed;
}
