import { expect, it, vi } from "vitest";
import {
  blockEvents,
  call,
  endOf,
  say,
  startOf,
  stream,
  streamOf,
} from "../../../../../test/support/anthropic-wire.ts";
import { type MemoryOptions, memoryPorts } from "../../../test/support/memory.ts";
import { testToolbox } from "../../../test/support/toolbox.ts";
import { Count, Get, Put } from "../../../test/support/tools.ts";
import { anthropic } from "./anthropic.ts";

function box(options: MemoryOptions = { delayMs: 0 }) {
  const disk = new Map([["/w/a.ts", "a"]]);
  const { toolbox, events } = testToolbox([Get, Put, Count], { ports: memoryPorts(disk, options) });
  const started = () => events.filter(({ type }) => type === "tool:execution:start").map(({ call }) => call.tool);
  return { disk, started, run: anthropic(toolbox).run };
}

const idsOf = (turn: {
  message: { content: readonly unknown[] };
  results: { content: { tool_use_id: string }[] } | null;
}) => ({
  uses: turn.message.content.flatMap((block) => ((block as { id?: string }).id ? [(block as { id: string }).id] : [])),
  results: turn.results?.content.map(({ tool_use_id }) => tool_use_id) ?? [],
});

/** Waits for what is to be so, however slow the machine is. */
const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 10_000, interval: 1 });

/** Events, and between them something to wait for. */
async function* script(...steps: readonly (object | (() => Promise<unknown>))[]): AsyncGenerator<{ type: string }> {
  for (const step of steps) {
    if (typeof step === "function") await step();
    else yield step as { type: string };
  }
}

it("E05 a call runs when its block is complete, before the message has ended", async () => {
  const { disk, run } = box();
  let seen: string | undefined;
  const turn = await run.stream(
    script(
      ...startOf(),
      ...blockEvents(call("t1", "Put", { path: "early.txt", text: "now" }), 0),
      async () => {
        await until(() => disk.has("/w/early.txt"));
        seen = disk.get("/w/early.txt");
      },
      ...blockEvents(call("t2", "Get", { path: "a.ts" }), 1),
      ...endOf("tool_use"),
    ),
  );
  expect(seen).toBe("now");
  expect(idsOf(turn)).toEqual({ uses: ["t1", "t2"], results: ["t1", "t2"] });
});

it("E05 a call without arguments is {} and waits only until it is clear that it has none", async () => {
  const { run, started } = box();
  const turn = await run.stream(stream(streamOf([call("t1", "Count", {}, ""), call("t2", "Count", {}, "")])));
  expect(started()).toEqual(["Count", "Count"]);
  expect(turn.results?.content.map(({ content }) => content)).toEqual([
    [{ type: "text", text: "1" }],
    [{ type: "text", text: "2" }],
  ]);
});

it("E14 a length limit: half arguments and arguments that never began do not run, and are answered", async () => {
  for (const json of ['{"path": "b.txt", "te', ""]) {
    const { disk, run, started } = box();
    const turn = await run.stream(
      stream(streamOf([call("t1", "Get", { path: "a.ts" }), call("t2", "Put", {}, json)], "max_tokens")),
    );
    expect(started()).toEqual(["Get"]);
    expect(disk.has("/w/b.txt")).toBe(false);
    expect(idsOf(turn)).toEqual({ uses: ["t1", "t2"], results: ["t1", "t2"] });
    expect(turn.results?.content[1]).toMatchObject({ is_error: true });
    expect(JSON.stringify(turn.results?.content[1])).toContain("length limit");
  }
});

it("E14 arguments that are no JSON in a whole message are the pipeline's to explain", async () => {
  const { run } = box();
  const turn = await run.stream(stream(streamOf([call("t1", "Get", {}, "{path: a.ts}"), say("and on")])));
  expect(turn.results?.content[0]).toMatchObject({ is_error: true });
  expect(JSON.stringify(turn.results)).toContain("not valid JSON");
});

it("E05 a stream that breaks off: a result that exists is kept, a cut call is answered, nothing dangles", async () => {
  const { disk, run, started } = box();
  const half = blockEvents(call("t2", "Put", { path: "half.txt", text: "x" }), 2).slice(0, 4);
  const turn = await run.stream(
    script(
      ...startOf(),
      ...blockEvents({ type: "thinking", thinking: "I need it.", signature: "c2ln" }, 0),
      ...blockEvents(call("t1", "Put", { path: "kept.txt", text: "kept" }), 1),
      () => until(() => disk.has("/w/kept.txt")),
      ...half,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ),
  );
  expect(disk.get("/w/kept.txt")).toBe("kept");
  expect(disk.has("/w/half.txt")).toBe(false);
  expect(started()).toEqual(["Put"]);
  expect(idsOf(turn)).toEqual({ uses: ["t1", "t2"], results: ["t1", "t2"] });
  expect(turn.message.content[0]).toMatchObject({ type: "thinking", thinking: "I need it.", signature: "c2ln" });
  expect(turn.results?.content.map(({ is_error }) => is_error === true)).toEqual([false, true]);
  expect(String(turn.error)).toContain("Overloaded");
});

it("E05 a stream that breaks off: a complete call that still waits for another is not started any more", async () => {
  const { promise, resolve: writes } = Promise.withResolvers<void>();
  const { disk, run, started } = box({ hold: () => promise });
  const turn = await run.stream(
    script(
      ...startOf(),
      ...blockEvents(call("t1", "Put", { path: "b.txt", text: "first" }), 0),
      ...blockEvents(call("t2", "Put", { path: "b.txt", text: "second" }), 1),
      () => until(() => started().length > 0),
      () => {
        setImmediate(writes);
        return Promise.reject(new Error("connection reset"));
      },
    ),
  );
  expect(started()).toEqual(["Put"]);
  expect(disk.get("/w/b.txt")).toBe("first");
  expect(turn.results?.content.map(({ is_error }) => is_error === true)).toEqual([false, true]);
});

it("E05 a stream that breaks off before any call started throws, so that the request can be sent again", async () => {
  const { run, started } = box();
  const half = blockEvents(call("t1", "Put", { path: "half.txt", text: "x" }), 0).slice(0, 3);
  await expect(run.stream(stream([...startOf(), ...half]))).rejects.toThrow("ended before the message was complete");
  const failing = script(...startOf(), ...half, () => Promise.reject(new Error("connection reset")));
  await expect(run.stream(failing)).rejects.toThrow("connection reset");
  expect(started()).toEqual([]);
});

it("E05 a host can watch the events, and a message without calls has no results", async () => {
  const { run } = box();
  const seen: string[] = [];
  const turn = await run.stream(stream(streamOf([say("Done.")])), { onEvent: ({ type }) => seen.push(type) });
  expect(seen.at(0)).toBe("message_start");
  expect(seen.at(-1)).toBe("message_stop");
  expect(turn).toMatchObject({ results: null, stopReason: "end_turn", message: { content: [{ text: "Done." }] } });
});
