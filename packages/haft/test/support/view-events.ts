import type { ViewEvent } from "../../src/view/index.ts";

export const prompt = (text: string): ViewEvent => ({ type: "prompt", id: text, text, queued: false });
export const delta = (text: string, key = "t"): ViewEvent => ({
  type: "model",
  turn: 1,
  event: { type: "delta", key, of: "text", text },
});
export const part = (text: string, key = "t"): ViewEvent => ({
  type: "model",
  turn: 1,
  event: { type: "part", key, part: { type: "text", text } },
});
export const status = (of: "idle" | "working"): ViewEvent => ({ type: "status", status: of });
export const finish: ViewEvent = { type: "message", turn: 1, message: { role: "assistant", parts: [] } };

/** The events of one call, as the executor sends them. */
export function callEvents(id: string, output: string): ViewEvent[] {
  const of = { call: { id, tool: "Bash", batch: "b", turn: 1 }, agent: { id: "main" } };
  const traits = { kind: "execute", isReadOnly: false };
  const outcome = { ...of, status: "ok", result: { content: [] }, effects: [], traits, startedAt: 0, durationMs: 12 };
  return [
    { ...of, type: "tool:call:received", input: {}, title: `run ${id}` },
    { ...of, type: "tool:execution:start", title: `run ${id}`, activity: `Running ${id}`, traits },
    { ...of, type: "tool:execution:progress", progress: { output } },
    {
      ...of,
      type: "tool:execution:complete",
      outcome,
      label: `run ${id}`,
      title: `run ${id}`,
      summary: "",
      content: { kind: "terminal", text: output },
    },
  ] as unknown as ViewEvent[];
}
