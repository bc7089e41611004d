import type { Asker } from "@haft/core/approval";
import { createRedactor } from "@haft/core/policy";
import {
  type Cassette,
  type RecordedTurn,
  type ResultStatus,
  toldText,
  withFolder,
  withoutFolder,
} from "./cassette.ts";
import type { Message } from "./message.ts";
import type { Model, ModelEvent } from "./model.ts";
import { firstDifference } from "./steady-text.ts";

export interface ReplayOptions {
  /** Absolute; stands where the recorded session had its folder. */
  readonly cwd: string;
}

/** The recorded model: each request gets the next recorded message. Needs no key and no network. */
export function replayModel(cassette: Cassette, { cwd }: ReplayOptions): Model {
  const { turns } = withFolder(cassette, cwd);
  let next = 0;
  return {
    name: `replay of ${cassette.model}`,
    async *step({ signal }) {
      const turn = turns[next++];
      if (!turn) {
        yield {
          type: "error",
          error: new CassetteEnded(`The cassette has ${turns.length} messages, and all are used.`),
        };
        return;
      }
      for (const event of turn.events) {
        if (signal.aborted) return;
        yield* announced(event);
      }
    },
  };
}

/** The recording is over: asking again gives the same answer, so the loop must not retry. */
class CassetteEnded extends Error {
  override name = "CassetteEnded";
  /** As a provider says that the request itself is wrong. */
  readonly statusCode = 400;
}

/** What people said after the recorded messages: to be given to the loop as `steer`. */
export function replaySteering(cassette: Cassette, { cwd }: ReplayOptions): () => readonly Message[] {
  const { turns } = withFolder(cassette, cwd);
  // Messages that broke off are followed by the next request without a word from anyone.
  const heard = turns.filter(({ events }) => events.some(({ type }) => type === "finish"));
  let next = 0;
  return () => heard[next++]?.said ?? [];
}

function announced(event: ModelEvent): readonly ModelEvent[] {
  if (event.type !== "part") return [event];
  const { key, part } = event;
  if (part.type === "tool-call") return [{ type: "call-started", key, id: part.id, tool: part.tool }, event];
  return part.text === "" ? [event] : [{ type: "delta", key, of: part.type, text: part.text }, event];
}

/**
 * The recorded answers. Each is given once, and only to a request for the same call and the same tool; any other
 * request finds nobody here, and is asked of the next asker or denied.
 */
export function replayAsker(cassette: Cassette, { cwd }: ReplayOptions): Asker {
  const left = [...withFolder(cassette.approvals, cwd)];
  return async ({ callId, tool }) => {
    const index = left.findIndex((recorded) => recorded.callId === callId && recorded.tool === tool);
    if (index < 0) return undefined;
    const [{ answer }] = left.splice(index, 1) as [Cassette["approvals"][number]];
    const message = answer.message === undefined ? {} : { message: answer.message };
    if (answer.behavior === "deny") {
      return {
        behavior: "deny",
        ...message,
        ...(answer.interrupt === undefined ? {} : { interrupt: answer.interrupt }),
      };
    }
    return { behavior: "allow", ...message, ...(answer.input === undefined ? {} : { input: answer.input }) };
  };
}

/** A call that ended otherwise than it was recorded. */
export interface Drift {
  /** Counts the model's messages from 1; 0 for a call that was not recorded. */
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  readonly recorded: ResultStatus | "absent";
  readonly replayed: ResultStatus | "absent";
  /** It was made and ended otherwise: the first line of what it tells now. */
  readonly says?: string;
  /** It ended the same way and told something else: the first line that differs, from 1. */
  readonly text?: { readonly line: number; readonly recorded: string; readonly replayed: string };
}

/**
 * Compares the results of a replay in `cwd`, in the order of its messages, with the recorded ones: how each call ended and,
 * times and other chance apart, what it told. Empty: nothing drifted.
 */
export function drift(
  cassette: Cassette,
  replayed: readonly Message[],
  { cwd }: ReplayOptions = { cwd: "/" },
): readonly Drift[] {
  const redact = createRedactor(process.env);
  const recorded = cassette.turns.flatMap((turn, index) => indexed(turn.results, index + 1));
  const seen = new Map(
    replayed
      .flatMap((message) => (message.role === "results" ? message.results : []))
      .map((result) => [result.callId, result]),
  );
  const drifted = recorded.flatMap(({ turn, callId, tool, status, text }): readonly Drift[] => {
    const now = seen.get(callId);
    seen.delete(callId);
    const ended = { turn, callId, tool, recorded: status, replayed: now?.status ?? "absent" } as const;
    if (now === undefined) return [ended];
    const told = toldText(now.content, redact);
    if (now.status !== status) return [{ ...ended, says: told.split("\n", 1)[0] ?? "" }];
    // Who says no, and in which words, depends on who is there.
    const isCompared = text !== undefined && (status === "ok" || status === "error");
    const difference = isCompared ? firstDifference(text, withoutFolder(told, cwd)) : undefined;
    return difference ? [{ ...ended, text: difference }] : [];
  });
  const extra = [...seen.values()].map(
    ({ callId, tool, status }): Drift => ({ turn: 0, callId, tool, recorded: "absent", replayed: status }),
  );
  return [...drifted, ...extra];
}

const indexed = (results: RecordedTurn["results"], turn: number) => results.map((result) => ({ ...result, turn }));
