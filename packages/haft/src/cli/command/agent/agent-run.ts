import type { CallEvent } from "@haft/core/executor";
import { HaftError } from "@haft/core/tool";
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
import { agentEventLine, callEventLine } from "../../draw/event-line.ts";
import { eventRows } from "../../draw/progress-row.ts";
import { oneLine, programOutput } from "../../draw/sanitize.ts";
import { paint } from "../../draw/style.ts";
import { EXIT, type ExitCode, failureText } from "../../exit-code.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** Tells of a run as it goes: JSON lines for programs, rows for people. */
export interface Narrator {
  onCall(event: CallEvent): void;
  onAgent(event: AgentEvent): void;
  /** Resolves when everything has been written. */
  end(end: AgentEnd, more?: object): Promise<void>;
}

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
}

/** The AI SDK prints what it thinks of a model to standard error, where only our own words belong. */
export function quietSdk(): void {
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
}

/** Runs the agent. A person's plain no ends the run: they are about to say what they want instead. */
export async function runOn({ haft, hooks, ...options }: RunOptions): Promise<AgentEnd> {
  let refused = false;
  const silence = haft.on((event) => {
    if (event.type !== "tool:permission:response" || event.answer.behavior !== "deny") return;
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
      ...(hooks ? { beforeEnd: hooks.beforeEnd } : {}),
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

export function narrator(terminal: Terminal, json: boolean): Narrator {
  let written = Promise.resolve();
  const write = (text: string): void => {
    written = written.then(() => terminal.print(text));
  };
  if (json) return jsonNarrator(write, () => written);
  const { style } = terminal;
  const draw = eventRows(style);
  const row = (text: string | undefined): void => {
    if (text !== undefined && text !== "") write(`${text}\n`);
  };
  return {
    onCall: (event) => row(draw(event)),
    onAgent(event) {
      if (event.type === "retry") row(paint(style, "yellow", `again after: ${oneLine(failureText(event.error))}`));
      if (event.type === "shortened") row(paint(style, "yellow", shortenedText(event.results)));
      if (event.type !== "model" || event.event.type !== "part") return;
      const { part } = event.event;
      if (part.type === "text") row(programOutput(part.text, false).trim());
    },
    async end(end) {
      const { error } = end;
      const failed = HaftError.is(error) ? error.message : failureText(error ?? "");
      const why = oneLine(end.why ?? failed);
      const ending = [...(end.reason === "answered" ? [] : [end.reason]), ...(why ? [why] : [])].join(": ");
      if (ending !== "") row(paint(style, "yellow", ending));
      if (HaftError.is(error) && error.hint) row(oneLine(error.hint));
      await written;
    },
  };
}

const shortenedText = (results: number): string =>
  `The conversation was too long for the model: ${results === 1 ? "an old result was" : `${results} old results were`} left out. The session's record keeps them.`;

function jsonNarrator(write: (text: string) => void, written: () => Promise<void>): Narrator {
  const line = (value: object | undefined): void => {
    if (value) write(`${JSON.stringify(value)}\n`);
  };
  return {
    onCall: (event) => line(callEventLine(event)),
    onAgent: (event) => line(agentEventLine(event)),
    async end({ reason, why, error, text, turns, usage }, more = {}) {
      const failure = error === undefined ? {} : { error: failureText(error) };
      line({ type: "end", reason, why, ...failure, text, turns, usage, ...more });
      await written();
    },
  };
}
