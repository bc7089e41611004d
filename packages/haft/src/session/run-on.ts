import {
  type AgentEnd,
  type AgentEvent,
  type AgentOptions,
  type Message,
  type Model,
  runAgent,
  type SessionHooks,
  userMessage,
} from "../agent/index.ts";
import type { Haft } from "../app/haft.ts";
import { gitBranch } from "./git-branch.ts";

export interface RunOptions {
  readonly haft: Haft;
  /** Runs the calls. Default: `haft`, with turns that count from 1. */
  readonly executor?: AgentOptions["executor"];
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  readonly maxTurns?: number;
  readonly onEvent: (event: AgentEvent) => void;
  /** Receives the parts of a message before its calls start; see the loop. */
  readonly onParts?: NonNullable<AgentOptions["onParts"]>;
  /** Receives the results of calls that have ended before others; see the loop. */
  readonly onResult?: NonNullable<AgentOptions["onResult"]>;
  /** Messages to insert between turns. Default: the background jobs that have ended meanwhile. */
  steer?(): readonly Message[] | Promise<readonly Message[]>;
  /** Makes a long conversation shorter; see the loop. */
  fit?(messages: readonly Message[], isTooLong: boolean): Promise<readonly Message[] | undefined>;
  /** The hooks of the session. A replay has none: the recording includes their output. */
  readonly hooks?: SessionHooks;
  /** The process ends after this run: it waits for background agents and gives the model their results. */
  readonly waitsForAgents?: boolean;
  /** The folder is on another machine, and nothing on this one says anything about it. */
  readonly isElsewhere?: boolean;
}

/** Runs the agent. A person's plain denial ends the run: they are about to say what they want instead. */
export async function runOn({
  haft,
  hooks,
  waitsForAgents = false,
  isElsewhere = false,
  ...options
}: RunOptions): Promise<AgentEnd> {
  const instructions = await haft.instructions();
  let refused = false;
  const silence = haft.on((event) => {
    if (event.type !== "tool:permission:response" || event.answer.behavior !== "deny") return;
    // A denial for a subagent ends that agent's work only.
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
      executor: options.executor ?? haft,
      mailbox: haft.mailbox,
      steer: options.steer ?? (() => jobNews(haft)),
      async beforeEnd(text) {
        const more = (await hooks?.beforeEnd(text)) ?? {};
        if (!waitsForAgents || more.stop !== undefined || (more.messages ?? []).length > 0) return more;
        return { messages: await agentNews(haft, options.signal) };
      },
      system: [systemPrompt(haft, isElsewhere), instructions].filter((part) => part !== "").join("\n\n"),
      stopAfter: () => (refused ? "the user said no" : undefined),
    });
  } finally {
    silence();
  }
}

/** Reports jobs that ended meanwhile. Without their output: it is untrusted, and this goes in as the user's words. */
export const jobNews = ({ jobs }: Haft): readonly Message[] =>
  jobs.finished().map(({ id, exitCode, signal, endedBy }) => {
    const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
    const why = endedBy === "timeout" ? " (timeout)" : "";
    return userMessage(`[Background job ${id} ${how}${why}. TaskOutput shows its output.]`);
  });

/** Waits for the next background agent to end, and reports it; returns nothing if none is running. */
async function agentNews({ agents, mailbox }: Haft, signal: AbortSignal): Promise<readonly Message[]> {
  const isWorking = agents?.list().some(({ background, status }) => background && status === "running");
  // An abort ends the run anyway.
  if (isWorking) await mailbox.inbox.arrival(signal).catch(() => {});
  return mailbox.take();
}

/** The working environment that a model must know; the tools add their part with the offer. */
const systemPrompt = ({ cwd, role }: Haft, isElsewhere: boolean): string => {
  const branch = isElsewhere ? undefined : gitBranch(cwd);
  const place = isElsewhere
    ? "The folder is on another machine."
    : branch === undefined
      ? "The folder is not in a git repository."
      : `Its git branch is ${JSON.stringify(branch)}.`;
  const machine = isElsewhere ? "" : ` on ${process.platform}`;
  return [
    `${role ? `${role.system}\n\n` : "You are a careful software engineer. "}You work in ${cwd}${machine}, through the tools you are given.`,
    `${place} Today is ${new Date().toISOString().slice(0, 10)}.`,
    "Look before you change. Refused calls are refused by the user's rules: find another way, or say what you need.",
    "When you have finished, say briefly what you did and found.",
  ].join("\n");
};
