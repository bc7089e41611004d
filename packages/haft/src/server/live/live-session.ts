import { type AgentSession, recordedCalls, type SessionEvent } from "../../session/index.ts";
import { foldEvent, type Row, type SessionView, type ViewEvent, viewOfMessages } from "../../view/index.ts";
import type { CanvasBoard } from "../canvas/board.ts";
import { createEventLog, type LoggedEvent } from "./event-log.ts";
import { wireEvent } from "./wire-event.ts";

/** A session that the server holds open, with its view for people. */
export interface LiveSession {
  readonly id: string;
  readonly agent: AgentSession;
  readonly canvas: CanvasBoard;
  /** The number of the latest event. */
  readonly seq: number;
  /** The latest rows, and everything else of the view. Continue with the events after `seq`. */
  window(rows: number): ViewWindow;
  /** Rows before the one with this id, the latest of them. `undefined`: there is no such row. */
  rowsBefore(id: string, count: number): readonly Row[] | undefined;
  /** Events after a number; `undefined` if they are no longer kept. */
  after(seq: number): readonly LoggedEvent[] | undefined;
  on(listener: (logged: LoggedEvent, event: ViewEvent) => void): () => void;
  close(): Promise<void>;
}

/** A view with its latest rows only. */
export interface ViewWindow {
  readonly seq: number;
  readonly view: SessionView;
  /** There are rows before the first one. */
  readonly hasMore: boolean;
}

/** Follows a session from now on. `isLent`: another face drives it, and closes it. */
export function followSession(agent: AgentSession, canvas: CanvasBoard, isLent = false): LiveSession {
  const log = createEventLog();
  const listeners = new Set<(logged: LoggedEvent, event: ViewEvent) => void>();
  let view: SessionView = {
    ...viewOfMessages(agent.messages, agent.messages.length > 0 ? recordedCalls(agent.haft.session.path) : []),
    mode: agent.haft.mode,
    approvals: agent.haft.pending(),
    ...(agent.model ? { model: agent.model.name } : {}),
  };
  const hear = (event: SessionEvent): void => {
    const plain = wireEvent(event);
    const logged = log.add(plain);
    view = foldEvent(view, plain, Date.now());
    for (const listener of [...listeners]) listener(logged, plain);
  };
  const silence = agent.on(hear);
  return {
    id: agent.id,
    agent,
    canvas,
    get seq() {
      return log.seq;
    },
    window(count) {
      const rows = view.rows.slice(-count);
      return { seq: log.seq, view: { ...view, rows }, hasMore: rows.length < view.rows.length };
    },
    rowsBefore(id, count) {
      const at = view.rows.findIndex((row) => row.id === id);
      return at < 0 ? undefined : view.rows.slice(Math.max(0, at - count), at);
    },
    after: log.after,
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (!isLent) await agent[Symbol.asyncDispose]();
      silence();
      listeners.clear();
    },
  };
}
