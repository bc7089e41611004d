import { createHash } from "node:crypto";
import { join } from "node:path";
import { openStateFile } from "@haft/service";

/** A call of a client's tool that nobody has answered, or whose answer no call has taken up yet. */
export interface ParkedCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  /** A digest of the key of the client that registered the tool. */
  readonly owner: string;
  readonly answer?: ClientAnswer;
}

/** The result of a client's tool. */
export interface ClientAnswer {
  readonly output?: unknown;
  /** The tool failed; the model reads why. */
  readonly error?: string;
}

/** The open calls of a session on disk. After a restart, their answers count when the same call is made again. */
export interface ParkedCalls {
  list(): readonly ParkedCall[];
  get(callId: string): ParkedCall | undefined;
  /** Takes the answer of the same call that an earlier process left. */
  takeAnswer(tool: string, input: unknown): ClientAnswer | undefined;
  put(call: ParkedCall): void;
  drop(callId: string): void;
}

/** Opens the parked calls in a session's folder; without a folder they last as long as the process. */
export function openParkedCalls(folder: string | undefined): ParkedCalls {
  const file = openStateFile<ParkedCall>(folder === undefined ? undefined : join(folder, "client-calls.json"));
  const list = (): readonly ParkedCall[] => [...file.entries()].map(([, call]) => call);
  return {
    list,
    get: (callId) => file.get(callId),
    takeAnswer(tool, input) {
      const wanted = sameness(tool, input);
      const found = list().find((call) => call.answer && sameness(call.tool, call.input) === wanted);
      if (!found) return undefined;
      file.delete(found.callId);
      return found.answer;
    },
    put: (call) => file.set(call.callId, call),
    drop(callId) {
      if (file.get(callId) !== undefined) file.delete(callId);
    },
  };
}

const sameness = (tool: string, input: unknown): string => digest(JSON.stringify([tool, input]));

/** A fingerprint of a secret or a text. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
