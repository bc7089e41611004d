import { stripVTControlCharacters } from "node:util";
import type { ApprovalRequest, Form } from "@haft/core/approval";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { headlessTerminal } from "../../../test/support/headless-terminal.ts";
import { callEvents, delta, prompt, status } from "../../../test/support/view-events.ts";
import { Picker } from "./picker.ts";

const request: ApprovalRequest = {
  ...{ id: "q", callId: "c", agent: { id: "main" }, tool: "Write", title: "Write a.txt", input: {}, effects: [] },
  ...{ show: { kind: "text", text: "word\n".repeat(9) }, why: "It asks.", destructive: false, suggestions: [] },
};
const form: Form = { type: "object", properties: { name: { type: "string" }, sure: { type: "boolean" } } };

it("U01 a storm of new sizes leaves the scrollback as it is", async () => {
  await using terminal = await headlessTerminal(80, 20);
  const { screen } = terminal;
  screen.hear(status("working"));
  screen.hear(prompt("Go."));
  for (let at = 0; at < 30; at++) for (const event of callEvents(`c${at}`, `output ${at}\n`)) screen.hear(event);
  const printed = (lines: readonly string[]) => lines.filter((line) => /^(?:● run|\s+output|❯ Go)/.test(line));
  const before = printed(await terminal.lines());
  expect(before).toHaveLength(61);
  for (const [columns, rows] of [
    [60, 10],
    [100, 30],
    [30, 8],
    [120, 40],
    [20, 5],
    [80, 20],
    [25, 30],
    [79, 6],
    [80, 20],
  ] as const) {
    await terminal.resize(columns, rows);
    screen.refresh();
    await terminal.lines();
  }
  const after = await terminal.lines();
  expect(printed(after)).toEqual(before);
  expect(after.join("\n").split("test/model")).toHaveLength(2);
  expect(terminal.bytes()).not.toContain("\u001b[3J");
});

it("U09 a narrower window leaves no copy of the prompt, and all of the scrollback", async () => {
  await using terminal = await headlessTerminal(110, 30);
  const { screen } = terminal;
  for (const event of callEvents("c0", "1\n2\n3\n")) screen.hear(event);
  const above = await terminal.lines();
  screen.paste("a prompt that takes more than one row as soon as the window is forty columns wide or less");
  for (const columns of [40, 110, 70, 33, 20, 110]) {
    screen.hint("A hint that is longer than the forty columns which the window will have.");
    await terminal.lines();
    await terminal.resize(columns, 30);
    const lines = await terminal.lines();
    expect(lines.slice(0, 4)).toEqual(above.slice(0, 4));
    expect(lines.filter((line) => line.startsWith("❯"))).toHaveLength(1);
    expect(lines.join("\n").split("mode default")).toHaveLength(2);
  }
});

it("U01 a lower window moves no live row into the scrollback, with any part open", async () => {
  const list = new Picker({
    ...{ title: "Changes", hint: "Enter undoes", items: ["one", "two", "three"] },
    item: (label) => ({ label }),
    preview: (item) => `diff of ${item}\n`.repeat(30),
    done: () => {},
  });
  const heights = fc.array(fc.integer({ min: 4, max: 40 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("question", "form", "list", "prompt", "calls"), heights, async (open, rows) => {
      await using terminal = await headlessTerminal(80, 40);
      const { screen } = terminal;
      screen.hear(status("working"));
      screen.hear(prompt("Go."));
      for (let at = 0; at < 12; at++) for (const event of callEvents(`c${at}`, `output ${at}\n`)) screen.hear(event);
      if (open === "question") void screen.ask(request, new AbortController().signal);
      if (open === "form") void screen.ask({ ...request, form }, new AbortController().signal);
      if (open === "list") screen.open(list);
      if (open === "prompt") screen.paste("several\nlines\n".repeat(8));
      if (open === "calls") for (const event of callEvents("d", "line\n".repeat(50)).slice(0, 3)) screen.hear(event);
      await terminal.lines();
      for (const height of rows) {
        await terminal.resize(80, height);
        screen.hear(delta(`Height ${height}.\n\n`));
        await terminal.lines();
      }
      screen.close();
      const printed = screen.printed.map(({ text }) => stripVTControlCharacters(text)).join("\n");
      expect((await terminal.lines()).join("\n").trim()).toBe(printed.trim());
    }),
    { numRuns: runs(60) },
  );
});
