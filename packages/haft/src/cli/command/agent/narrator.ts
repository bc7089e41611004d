import type { CallEvent } from "@haft/core/executor";
import { counted, HaftError } from "@haft/core/tool";
import type { AgentEnd, AgentEvent } from "../../../agent/index.ts";
import { eventRows } from "../../../draw/rows/progress-row.ts";
import { SpokenText } from "../../../draw/rows/spoken-text.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { paint, type Style } from "../../../draw/style.ts";
import { type Compaction, isAgentEvent, isCallEvent, type SessionEvent } from "../../../session/index.ts";
import { agentEventLine, callEventLine } from "../../event-line.ts";
import { failureText } from "../../exit-code.ts";

/** Passes the events of a session to a narrator. */
export const narrated =
  (tell: Narrator) =>
  (event: SessionEvent): void => {
    if (isCallEvent(event)) tell.onCall(event);
    else if (isAgentEvent(event)) tell.onAgent(event);
    else if (event.type === "compacted" && event.reason === "full") tell.onCompacted(event);
  };

/** Reports a run as it happens: JSON lines for programs, rows for people. */
export interface Narrator {
  onCall(event: CallEvent): void;
  onAgent(event: AgentEvent): void;
  /** A summary took the place of messages without anybody's asking. */
  onCompacted(event: Compaction): void;
  /** Resolves when everything has been written. */
  end(end: AgentEnd, more?: object): Promise<void>;
}

export interface NarratorOptions {
  readonly style: Style;
  /** Receives events and the model's text, in whole lines. */
  readonly write: (text: string) => void | Promise<void>;
  /** Receives the model's last text instead, once it is known to be the answer. */
  readonly answer?: (text: string) => Promise<void>;
  /** Questions appear in the same terminal. */
  readonly showsQuestions?: boolean;
}

/** Rows for people. */
export function narrator({ style, write, answer, showsQuestions = false }: NarratorOptions): Narrator {
  const text = new SpokenText(() => style.width);
  /** How much of each part of the message has been printed. */
  const told = new Map<string, number>();
  /** Text that may be the answer: nothing follows it so far. */
  let held = "";
  let last: "nothing" | "row" | "words" = "nothing";
  let written: Promise<void> = Promise.resolve();

  const put = (lines: string): void => {
    written = written.then(() => write(lines));
  };
  const words = (lines: string): void => {
    if (lines === "") return;
    put(last === "row" ? `\n${lines}` : lines);
    last = "words";
  };
  const release = (): void => {
    if (held !== "") words(text.add(held) + text.end());
    held = "";
  };
  const row = (lines: string): void => {
    release();
    words(text.end());
    put(last === "words" ? `\n${lines}\n` : `${lines}\n`);
    last = "row";
  };
  const warn = (lines: string): void => row(paint(style, "yellow", lines));
  const draw = eventRows({ style, print: row, showsQuestions });

  return {
    onCall: draw,
    onCompacted: ({ messages }) =>
      row(
        paint(style, "dim", `A summary replaced ${counted(messages, "message")}. The session's file still has them.`),
      ),
    onAgent(event) {
      if (event.type === "request") told.clear();
      if (event.type === "retry") warn(`retrying after: ${oneLine(failureText(event.error))}`);
      if (event.type === "shortened") warn(shortenedText(event.results));
      if (event.type === "call") release();
      if (event.type !== "model") return;
      const { event: inner } = event;
      if (inner.type === "delta" && inner.of === "text" && !answer) {
        told.set(inner.key, (told.get(inner.key) ?? 0) + inner.text.length);
        words(text.add(inner.text));
      }
      if (inner.type === "part" && inner.part.type === "text") {
        const more = inner.part.text.slice(told.get(inner.key) ?? 0);
        if (answer) held += more;
        else words(text.add(more) + text.end());
      }
    },
    async end(end) {
      const isAnswer = answer !== undefined && end.reason === "answered";
      if (isAnswer) held = "";
      release();
      words(text.end());
      const { error } = end;
      const why = oneLine(end.why ?? (HaftError.is(error) ? error.message : failureText(error ?? "")));
      const ending = [...(end.reason === "answered" ? [] : [end.reason]), ...(why ? [why] : [])].join(": ");
      if (ending !== "") warn(ending);
      if (HaftError.is(error) && error.hint) row(oneLine(error.hint));
      await written;
      if (isAnswer && end.text !== "") await answer(`${end.text.trimEnd()}\n`);
    },
  };
}

const shortenedText = (results: number): string =>
  `The conversation was too long for the model: ${results === 1 ? "an old result was" : `${results} old results were`} dropped. The session's record still has them.`;

/** JSON lines for programs. */
export function jsonNarrator(print: (text: string) => Promise<void>): Narrator {
  let written: Promise<void> = Promise.resolve();
  const line = (value: object | undefined): void => {
    if (value) written = written.then(() => print(`${JSON.stringify(value)}\n`));
  };
  return {
    onCall: (event) => line(callEventLine(event)),
    onAgent: (event) => line(agentEventLine(event)),
    onCompacted: ({ summary, messages, file }) => line({ type: "compacted", messages, summary, file }),
    async end({ reason, why, error, text, turns, usage }, more = {}) {
      const failure = error === undefined ? {} : { error: failureText(error) };
      line({ type: "end", reason, why, ...failure, text, turns, usage, ...more });
      await written;
    },
  };
}
