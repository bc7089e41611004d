import type { Machine, Pieces } from "@haft/core/executor";
import type { Parts } from "../../public-api.ts";
import { back, inFolder, type Moved } from "./moved.ts";
import { piecesInFolder } from "./pieces.ts";

/**
 * The parts of an agent in a copy, as people see it: its questions, events and records name the files of the original,
 * where its changes arrive. An answer names them too, so its input is moved into the copy.
 */
export function facing(parts: Parts, moved: Moved): Parts {
  const { machine } = parts;
  const { approvals, recorder } = machine;
  const shown = <T>(value: T): T => inFolder(back(moved), value);
  const changes: Partial<Machine> = {
    ...(approvals
      ? {
          approvals: {
            ...approvals,
            async ask(request, decision, ...more) {
              const outcome = await approvals.ask(shown(request), shown(decision), ...more);
              if (outcome.status !== "answered" || outcome.answer.behavior === "deny") return outcome;
              const { input, ...answer } = outcome.answer;
              return input === undefined
                ? outcome
                : { ...outcome, answer: { ...answer, input: inFolder(moved, input) } };
            },
          },
        }
      : {}),
    shown: (value) => machine.shown?.(shown(value)) ?? shown(value),
    shownPieces: () => chained(piecesInFolder(back(moved)), machine.shownPieces?.()),
    ...(recorder ? { recorder: { ...recorder, record: (outcome) => recorder.record(shown(outcome)) } } : {}),
  };
  return { ...parts, machine: { ...machine, ...changes }, executor: parts.executor.with(changes) };
}

/** The copy of a copy: what the first returns goes through the second. */
const chained = (first: Pieces, second: Pieces | undefined): Pieces =>
  second === undefined
    ? first
    : { next: (piece) => second.next(first.next(piece)), end: () => second.next(first.end()) + second.end() };
