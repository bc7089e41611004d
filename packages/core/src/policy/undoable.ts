import type { Effect, RunEffect } from "../tool/index.ts";
import { externalReason } from "./guard/external-effects.ts";

/**
 * Mode `undoable`'s answer to one effect. `free`: it can be undone, stays on this machine and does not start on its own
 * later. `hold`: it runs confined in a view, and its changes are judged before any becomes real. In the background it
 * finds the workspace read-only. `ask`: a person decides.
 */
export interface UndoableAnswer {
  readonly answer: "free" | "hold" | "ask";
  /** Why a person is asked, as the end of a sentence: "running `x` because ...". */
  readonly why?: string;
}

/** The input of the table, in addition to the effect. */
export interface UndoableFacts {
  isReadable(path: string): boolean;
  isWritable(path: string): boolean;
  isPrivate(path: string): boolean;
  /** The name that makes a file run on its own later. */
  runsLater(path: string): string | undefined;
  /** Whether private content has been read in this session. If so, nothing may leave it without a question. */
  sawPrivate(): boolean;
}

const FREE: UndoableAnswer = { answer: "free" };
const HOLD: UndoableAnswer = { answer: "hold" };
const ask = (why?: string): UndoableAnswer => ({ answer: "ask", ...(why === undefined ? {} : { why }) });

/** State that belongs to one session's work and does not outlive it. */
export const NOTES: ReadonlySet<string> = new Set([
  "skills",
  "todos",
  "tasks",
  "plan",
  "jobs",
  "held",
  "conversation",
  "browser",
  "panel",
  "messages",
  "teams",
  "scripts",
]);

/**
 * The decision table of mode `undoable`, row by row. Deny and ask rules, protected paths and critical removals are
 * handled before it. A claim never gets a better answer than ask.
 */
export function undoableAnswer(effect: Effect, facts: UndoableFacts): UndoableAnswer {
  if (effect.basis === "claimed") return ask();
  switch (effect.do) {
    case "read":
      if (!facts.isReadable(effect.path)) return ask("it is outside the workspace");
      return !effect.tree && isAt(effect, facts.isPrivate) ? ask("it is private") : FREE;
    case "write":
      return writeAnswer(effect, facts);
    case "run":
      return runAnswer(effect);
    case "connect":
      if (effect.sends) return ask("it could send something");
      return facts.sawPrivate() ? ask("this session has read private content") : FREE;
    case "delegate":
      return FREE;
    case "state":
      return effect.change === false || NOTES.has(effect.of) ? FREE : ask("it outlives the session");
    case "ask":
      return FREE;
    case "unknown":
      return HOLD;
    case "send":
    case "call":
      return ask("it cannot be undone");
  }
}

function writeAnswer(effect: Extract<Effect, { do: "write" }>, facts: UndoableFacts): UndoableAnswer {
  if (!facts.isWritable(effect.path)) return ask("it is outside the workspace");
  // Even an effect that a command's grammar proves is inspected afterwards: a grammar knows nothing of links and races.
  if (effect.basis === "proved") return HOLD;
  if (effect.tree) return ask("a whole tree is only checked once its changes are known");
  const name = facts.runsLater(effect.path);
  return name === undefined ? FREE : ask(`${name} runs automatically later`);
}

function runAnswer(effect: RunEffect): UndoableAnswer {
  if (effect.background && effect.direct)
    return ask("it changes the workspace while it runs, which cannot be held back");
  const why = externalReason(effect);
  return why === undefined ? HOLD : ask(why);
}

const isAt = ({ path, as }: { readonly path: string; readonly as?: string }, test: (path: string) => boolean) =>
  test(path) || (as !== undefined && test(as));
