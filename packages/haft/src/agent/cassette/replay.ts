import type { Asker } from "@haft/core/approval";
import { createRedactor } from "@haft/core/policy";
import type { Message } from "../message.ts";
import type { Model, ModelEvent } from "../model.ts";
import { firstDifference } from "../steady-text.ts";
import {
  type Cassette,
  type RecordedTurn,
  type ResultStatus,
  toldText,
  withFolder,
  withoutFolder,
} from "./cassette.ts";

export interface ReplayOptions {
  /** Absolute; replaces the folder of the recorded session. */
  readonly cwd: string;
}

/** The recorded model: each request returns the next recorded message. Needs no API key and no network. */
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
          error: new CassetteEnded(`The cassette has only ${turns.length} messages, all used.`),
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

/** The recording has ended. Another request would get the same error, so the loop must not retry. */
class CassetteEnded extends Error {
  override name = "CassetteEnded";
  /** The status with which providers reject an invalid request. */
  readonly statusCode = 400;
}

/** The messages that people sent after the recorded messages. Pass it to the loop as `steer`. */
export function replaySteering(cassette: Cassette, { cwd }: ReplayOptions): () => readonly Message[] {
  const { turns } = withFolder(cassette, cwd);
  // After a message that broke off, the next request follows without user messages.
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
 * The recorded answers. Each is given once, and only to a request for the same call and the same tool. Any other request
 * goes to the next asker or is denied.
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

/** A call that ended differently from its recording. */
export interface Drift {
  /** The model's message, from 1; 0 for a call that was not recorded. */
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  readonly recorded: ResultStatus | "absent";
  readonly replayed: ResultStatus | "absent";
  /** The call was made but ended differently: the first line of its result now. */
  readonly says?: string;
  /** It ended the same way with another text: the first different line, from 1. */
  readonly text?: { readonly line: number; readonly recorded: string; readonly replayed: string };
}

/**
 * Compares the results of a replay in `cwd` with the recorded ones, in the order of the messages: how each call ended, and
 * its text apart from times and other random parts. Empty: no differences.
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
    // The asker and the words of a denial differ between machines, so they are not compared.
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
