/**
 * The terminal UI: from the start of the built program to its first frame. In a long session: from a key to the first
 * byte of its frame, and the memory of the built program.
 */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { Style } from "../packages/haft/src/draw/style.ts";
import { openApp } from "../packages/haft/src/terminal/app.ts";
import { openHistory } from "../packages/haft/src/terminal/input/history.ts";
import { PromptInput } from "../packages/haft/src/terminal/screen/prompt-input.ts";
import { Screen } from "../packages/haft/src/terminal/screen/screen.ts";
import type { ViewEvent } from "../packages/haft/src/view/index.ts";
import { type Figure, p50 } from "./measure.ts";
import { terminalMemory } from "./terminal-memory.ts";
import { firstFrames } from "./terminal-start.ts";

const EVENTS = 10_000;
const KEYS = 200;
const STARTS = 15;

export async function terminalFigures(): Promise<Figure[]> {
  const ink = await import("../packages/haft/src/terminal/ink.ts");
  const stdout = Object.assign(new EventEmitter(), {
    ...{ columns: 100, rows: 40, isTTY: true, writable: true },
    write(_data: string, done?: unknown) {
      for (const resolve of waiting.splice(0)) resolve();
      if (typeof done === "function") setImmediate(() => done());
      return true;
    },
  });
  const waiting: (() => void)[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin, ref() {}, unref() {} });
  const input = new PromptInput({ history: openHistory(), proposals: () => [], submit: () => {} });
  const style = (width: number): Style => ({ color: true, theme: "dark", width });
  const screen = new Screen({
    ...{ input, style, now: Date.now, edit: async () => undefined },
    size: () => ({ columns: 100, rows: 40 }),
    facts: () => ({ model: "test/model", mode: "default", folder: "/w", branch: "main" }),
  });
  const onKey = (press: Parameters<Screen["key"]>[0]) => void screen.key(press);
  const instance = openApp(ink, { screen, onKey, onPaste: () => {}, onReady: () => {} }, false, {
    ...{ stdout: stdout as never, stdin: stdin as never, interactive: true, exitOnCtrlC: false },
    ...{ incrementalRendering: true, maxFps: 60, patchConsole: false },
  });
  for (let at = 0; at < EVENTS / 4; at++) {
    for (const event of callEvents(`c${at}`)) screen.hear(event);
    if (at % 100 === 0) await instance.waitUntilRenderFlush();
  }
  await instance.waitUntilRenderFlush();
  const wall: number[] = [];
  const cpu: number[] = [];
  for (let at = 0; at < KEYS; at++) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const painted = new Promise<void>((resolve) => waiting.push(resolve));
    const [from, used] = [performance.now(), process.cpuUsage()];
    stdin.write(String.fromCharCode(97 + (at % 26)));
    await painted;
    wall.push(performance.now() - from);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1_000);
  }
  instance.unmount();
  const memory = await terminalMemory();
  const starts = await firstFrames(STARTS);
  const session = `in a session of ${EVENTS.toLocaleString("en")} events`;
  return [
    ...(starts
      ? [{ name: "first frame of haft, from its start, p50", value: p50([...starts]), unit: "ms", limit: 350 }]
      : []),
    { name: `key to paint ${session}, p95 of the CPU`, value: p95(cpu), unit: "ms", limit: 16 },
    { name: `key to paint ${session}, p95 of the clock`, value: p95(wall), unit: "ms", limit: 16 },
    ...(memory === undefined ? [] : [{ name: `memory ${session}`, value: memory, unit: "MB", limit: 150 }]),
  ];
}

const p95 = (samples: readonly number[]): number =>
  [...samples].sort((a, b) => a - b)[Math.floor(samples.length * 0.95)] ?? Number.NaN;

/** The events of one command, as the executor sends them. */
function callEvents(id: string): ViewEvent[] {
  const of = { call: { id, tool: "Bash", batch: "b", turn: 1 }, agent: { id: "main" } };
  const traits = { kind: "execute", isReadOnly: false };
  const outcome = { ...of, status: "ok", result: { content: [] }, effects: [], traits, startedAt: 0, durationMs: 12 };
  const output = "a line of output\n".repeat(5);
  return [
    { ...of, type: "tool:call:received", input: {}, title: `run ${id}` },
    { ...of, type: "tool:execution:start", title: `run ${id}`, activity: `Running ${id}`, traits },
    { ...of, type: "tool:execution:progress", progress: { output } },
    {
      ...{ ...of, type: "tool:execution:complete", outcome, label: `run ${id}`, title: `run ${id}`, summary: "" },
      content: { kind: "terminal", text: output },
    },
  ] as unknown as ViewEvent[];
}
