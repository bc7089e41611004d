import { createRedactor } from "@haft/core/policy";
import type { Content } from "@haft/core/tool";
import { userMessage } from "../message.ts";
import type { ModelEvent } from "../model.ts";
import {
  CASSETTE_VERSION,
  type Cassette,
  type RecordedApproval,
  type RecordedTurn,
  toldText,
  withoutFolder,
} from "./cassette.ts";

/** A line of a session's record, with the fields that a cassette needs. */
export type SessionLine = { readonly t: string } & Readonly<Record<string, unknown>>;

export interface SessionRecording {
  readonly session: string;
  /** Absolute; it does not appear in the cassette. */
  readonly cwd: string;
}

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly batch: string;
  readonly status: RecordedTurn["results"][number]["status"];
  readonly input: unknown;
  readonly startedAt: string;
  readonly result: { readonly content: readonly Content[] };
}

/**
 * Builds a cassette from the record of a session that was not recorded. Each batch of calls becomes one message, with
 * people's answers and the result of each call. A record has no other model output, and no secrets.
 */
export function cassetteOfSession(lines: readonly SessionLine[], { session, cwd }: SessionRecording): Cassette {
  const redact = createRedactor(process.env);
  const all = lines.filter(({ t }) => t === "call") as unknown as readonly Call[];
  const ids = new Set(all.map(({ id }) => id));
  const batches = new Map<string, Call[]>();
  for (const call of all) {
    // A call made by another call is not replayed by itself: its parent makes it again.
    if (ids.has(call.id.replace(/\.\d+$/, "")) && /\.\d+$/.test(call.id)) continue;
    batches.set(call.batch, [...(batches.get(call.batch) ?? []), call]);
  }
  // The record lists calls in the order in which they ended. Dependent calls of a batch also began in their order.
  const begun = [...batches.values()].map((calls) => calls.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)));
  const turns = begun.map(
    (calls): RecordedTurn => ({
      events: [...calls.map(({ id, tool, input }) => said({ type: "tool-call", id, tool, input }, id)), CALLED],
      results: calls.map(({ id, tool, status, result }) => ({
        ...{ callId: id, tool, status },
        text: toldText(result.content, redact),
      })),
    }),
  );
  const end: RecordedTurn = {
    events: [said({ type: "text", text: "The end of the record." }, "end"), STOPPED],
    results: [],
  };
  const cassette: Cassette = {
    format: "haft-cassette",
    version: CASSETTE_VERSION,
    model: `session ${session}`,
    opening: [userMessage(`The calls of session ${session}.`)],
    turns: [...turns, end],
    approvals: answersIn(lines),
  };
  return withoutFolder(cassette, cwd);
}

const said = (part: Extract<ModelEvent, { type: "part" }>["part"], key: string): ModelEvent => ({
  type: "part",
  key,
  part,
});
const CALLED: ModelEvent = { type: "finish", reason: "calls" };
const STOPPED: ModelEvent = { type: "finish", reason: "stop" };

/** Questions and their answers are on separate lines. */
function answersIn(lines: readonly SessionLine[]): readonly RecordedApproval[] {
  type Request = { readonly id: string; readonly callId: string; readonly tool: string };
  type Outcome = { readonly status: string; readonly answer?: RecordedApproval["answer"] };
  const asked = new Map(
    lines.filter(({ t }) => t === "approval").map(({ request }) => [(request as Request).id, request as Request]),
  );
  return lines.flatMap(({ t, requestId, outcome }): readonly RecordedApproval[] => {
    const request = t === "answer" ? asked.get(String(requestId)) : undefined;
    const { answer } = (outcome ?? {}) as Outcome;
    if (!request || !answer) return [];
    const { behavior, message, interrupt, input } = answer;
    const more = {
      ...(message === undefined ? {} : { message }),
      ...(interrupt === undefined ? {} : { interrupt }),
      ...(input === undefined ? {} : { input }),
    };
    return [{ callId: request.callId, tool: request.tool, answer: { behavior, ...more } }];
  });
}
