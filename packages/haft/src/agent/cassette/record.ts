import type { CallEvent } from "@haft/core/executor";
import { createRedactor } from "@haft/core/policy";
import type { AgentEvent } from "../loop.ts";
import type { Message } from "../message.ts";
import type { Model, ModelEvent } from "../model.ts";
import {
  CASSETTE_VERSION,
  type Cassette,
  type RecordedApproval,
  type RecordedTurn,
  toldText,
  withoutFolder,
} from "./cassette.ts";

/** Events that only show what the parts hold as well. */
const SHOWN_ONLY: ReadonlySet<string> = new Set(["delta", "call-started", "arguments"]);

export interface CassetteRecorder {
  /** The model to run instead of the real one: it behaves the same and records. */
  readonly model: Model;
  /** Pass every event of the agent loop to this. */
  onAgentEvent(event: AgentEvent): void;
  /** Pass every event of the executor to this: it contains the answers to approvals. */
  onCallEvent(event: CallEvent): void;
  /** The recording so far. */
  cassette(): Cassette;
}

export interface RecordOptions {
  readonly model: Model;
  /** Absolute; it does not appear in the recording. */
  readonly cwd: string;
}

/** Records one run of an agent, from the first request on. */
export function recordCassette({ model, cwd }: RecordOptions): CassetteRecorder {
  interface Draft {
    readonly events: ModelEvent[];
    results: RecordedTurn["results"];
    readonly said: Message[];
  }
  const turns: Draft[] = [];
  let opening: readonly Message[] = [];
  const approvals: RecordedApproval[] = [];
  const redact = createRedactor(process.env);

  return {
    model: {
      name: model.name,
      ...(model.withholdsTools === undefined ? {} : { withholdsTools: model.withholdsTools }),
      async *step(request) {
        if (turns.length === 0) opening = request.messages;
        const draft: Draft = { events: [], results: [], said: [] };
        turns.push(draft);
        for await (const event of model.step(request)) {
          if (!SHOWN_ONLY.has(event.type)) draft.events.push(plain(event));
          yield event;
        }
      },
    },
    onAgentEvent(event) {
      const draft = turns.at(-1);
      if (event.type !== "message" || !draft) return;
      if (event.message.role === "user") draft.said.push(event.message);
      if (event.message.role !== "results") return;
      draft.results = event.message.results.map(({ callId, tool, status, content }) => ({
        ...{ callId, tool, status },
        text: toldText(content, redact),
      }));
    },
    onCallEvent(event) {
      if (event.type !== "tool:permission:response" || event.agent.parent !== undefined) return;
      const { behavior, message } = event.answer;
      const input = event.answer.behavior === "allow" ? event.answer.input : undefined;
      const interrupt = event.answer.behavior === "deny" ? event.answer.interrupt : undefined;
      approvals.push({
        callId: event.call.id,
        tool: event.call.tool,
        answer: {
          behavior,
          ...(message === undefined ? {} : { message }),
          ...(interrupt === undefined ? {} : { interrupt }),
          ...(input === undefined ? {} : { input }),
        },
      });
    },
    cassette() {
      const recorded: Cassette = {
        format: "haft-cassette",
        version: CASSETTE_VERSION,
        model: model.name,
        opening,
        turns: turns.map(({ events, results, said }) => ({ events, results, ...(said.length > 0 ? { said } : {}) })),
        approvals,
      };
      return withoutFolder(recorded, cwd);
    },
  };
}

/** An error as data. */
const plain = (event: ModelEvent): ModelEvent =>
  event.type === "error"
    ? { type: "error", error: event.error instanceof Error ? event.error.message : String(event.error) }
    : event;
