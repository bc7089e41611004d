import type { AssistantPart, CallPart, Message, ModelEvent, ResultPart } from "../agent/index.ts";
import { isNews } from "../agent/message.ts";
import { type CallRow, isEnded, type TextRow } from "./row.ts";
import { addRow, callRowOf, changeCall, changeRow } from "./rows.ts";
import type { SessionView } from "./session-view.ts";

const MAIN = { id: "main" } as const;

/** Most characters of unfinished arguments that are kept: the last ones. */
const WRITTEN_CHARS = 2000;

/** A new call row. */
export const callRow = (callId: string, tool: string, more: Partial<CallRow> = {}): Omit<CallRow, "id"> => ({
  ...{ kind: "call", callId, tool, agent: MAIN, status: "writing", title: tool },
  ...{ effects: [], isRead: false, isSearch: false, answers: [], children: [] },
  ...more,
});

/** Folds an event of the model's stream. */
export function foldModel(view: SessionView, event: ModelEvent): SessionView {
  switch (event.type) {
    case "delta":
      return opened(view, event.key, { kind: event.of, text: "", isOpen: true }, (row) =>
        isText(row) && row.isOpen ? { ...row, text: row.text + event.text } : row,
      );
    case "call-started":
      return openedCall(view, event.key, event, (row) => row);
    case "arguments":
      return changeRow(view, view.open[event.key], (row) =>
        row.kind === "call" && row.status === "writing"
          ? { ...row, written: `${row.written ?? ""}${event.text}`.slice(-WRITTEN_CHARS) }
          : row,
      );
    case "part":
      return foldPart(view, event.key, event.part);
    case "finish": {
      const { inputTokens, outputTokens } = event.usage ?? {};
      const contextTokens = inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
      return contextTokens === undefined ? view : { ...view, usage: { ...view.usage, contextTokens } };
    }
    default:
      return view;
  }
}

type Made = Parameters<typeof addRow>[1];
type Changed = Parameters<typeof changeRow>[2];

/** Changes the row of a key of the present message, after adding it if it is new. */
function opened(view: SessionView, key: string, made: Made, change: Changed): SessionView {
  if (Object.hasOwn(view.open, key)) return changeRow(view, view.open[key], change);
  const added = addRow(view, made);
  const id = `r${added.made}`;
  return changeRow({ ...added, open: { ...added.open, [key]: id } }, id, change);
}

/**
 * As `opened`. Ids of calls are unique in the view; where a provider repeats one, the row has a provisional id until the
 * loop or the executor names the call.
 */
function openedCall(
  view: SessionView,
  key: string,
  { id, tool }: { readonly id: string; readonly tool: string },
  change: Changed,
): SessionView {
  const known = callRowOf(view, id);
  const ids = Object.values(view.open);
  // An event that comes twice, or late: nothing has happened to its call yet.
  if (known?.status === "writing" && !Object.hasOwn(view.open, key) && !ids.includes(known.id))
    return changeRow({ ...view, open: { ...view.open, [key]: known.id } }, known.id, change);
  return opened(view, key, callRow(known ? `${id}#r${view.made + 1}` : id, tool), change);
}

function foldPart(view: SessionView, key: string, part: AssistantPart): SessionView {
  if (part.type === "tool-call")
    return openedCall(view, key, part, (row) =>
      row.kind === "call" && !isEnded(row)
        ? {
            ...row,
            input: part.input,
            ...(row.title === part.tool ? { title: plainTitle(part) } : {}),
            ...endOfCut(part),
          }
        : row,
    );
  return opened(view, key, { kind: part.type, text: "", isOpen: true }, (row) =>
    isText(row) ? { ...row, text: part.text, isOpen: false } : row,
  );
}

const isText = (row: { readonly kind: string }): row is TextRow => row.kind === "text" || row.kind === "reasoning";

/** Most characters of an argument in a title. */
const TITLE_CHARS = 80;

/** The call with its first text, until its tool gives it a title. A stored conversation has no other. */
export function plainTitle({ tool, input }: Pick<CallPart, "tool" | "input">): string {
  const texts = typeof input === "object" && input !== null ? Object.values(input) : [];
  const text = texts.find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? `${tool} ${text.split("\n", 1)[0]?.slice(0, TITLE_CHARS)}` : tool;
}

/** A call with incomplete arguments never runs. */
const endOfCut = ({ cut }: CallPart): Partial<CallRow> =>
  cut === undefined ? {} : { status: "error", error: "The model did not complete the arguments." };

/** The calls of a message got their final ids: these differ if the provider repeated an id. */
export function foldCall(view: SessionView, call: CallPart): SessionView {
  const known = callRowOf(view, call.id);
  if (known) return view;
  const open = adoptable(view, call.tool);
  return open
    ? changeRow(view, open.id, (row) => (row.kind === "call" ? { ...row, callId: call.id, input: call.input } : row))
    : addRow(view, callRow(call.id, call.tool, { input: call.input }));
}

/** The first call of the present message with a provisional id, for a call whose id is new. */
export function adoptable(view: SessionView, tool: string): CallRow | undefined {
  const ids = new Set(Object.values(view.open));
  return view.rows.find(
    (row): row is CallRow =>
      row.kind === "call" && row.tool === tool && ids.has(row.id) && row.callId.endsWith(`#${row.id}`),
  );
}

/** Folds a message of the conversation: its parts are new only if the session is resumed. */
export function foldMessage(view: SessionView, message: Message): SessionView {
  switch (message.role) {
    case "user":
      return foldUser(view, textOf(message.content));
    case "results":
      return message.results.reduce(foldResult, view);
    case "assistant": {
      const isLive = Object.keys(view.open).length > 0;
      const next = isLive ? view : message.parts.reduce((so, part, at) => foldPart(so, `part:${at}`, part), view);
      return closed(next);
    }
  }
}

/** The message is complete: nothing of it grows any more. */
export function closed(view: SessionView): SessionView {
  if (Object.keys(view.open).length === 0) return view;
  const ids = new Set(Object.values(view.open));
  const rows = view.rows.map((row) => (ids.has(row.id) && isText(row) && row.isOpen ? { ...row, isOpen: false } : row));
  return { ...view, rows, open: {} };
}

/** The message broke off and is asked for again: its words go, and calls that never started with them. */
export function withdrawn(view: SessionView): SessionView {
  const ids = new Set(Object.values(view.open));
  const rows = view.rows.filter((row) => !ids.has(row.id) || (row.kind === "call" && row.status !== "writing"));
  return { ...view, rows, open: {} };
}

/** Words that the session has announced as a prompt are in the view already. */
function foldUser(view: SessionView, text: string): SessionView {
  const waiting = view.queue.find((prompt) => prompt.text === text);
  if (waiting)
    return addRow(
      { ...view, queue: view.queue.filter((prompt) => prompt !== waiting) },
      { kind: "prompt", text, ...(waiting.by === undefined ? {} : { by: waiting.by }) },
    );
  const announced = view.rows.findLast((row) => row.kind === "prompt");
  const isNew = !announced || !text.startsWith(announced.text) || view.rows.indexOf(announced) < lastAnswer(view);
  if (!isNew || text === "") return view;
  return addRow(view, isNews(text) ? { kind: "notice", severity: "notice", text } : { kind: "prompt", text });
}

const lastAnswer = ({ rows }: SessionView): number =>
  rows.findLastIndex(({ kind }) => kind === "text" || kind === "call");

const textOf = (content: readonly { readonly type: string }[]): string =>
  content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : `[${part.type}]`)).join("\n");

function foldResult(view: SessionView, result: ResultPart): SessionView {
  const summary = textOf(result.content);
  const known = callRowOf(view, result.callId) ? view : addRow(view, callRow(result.callId, result.tool));
  return changeCall(known, result.callId, (row) =>
    isEnded(row)
      ? row
      : { ...row, status: result.status, ...(result.status === "ok" ? { summary } : { error: summary }) },
  );
}
