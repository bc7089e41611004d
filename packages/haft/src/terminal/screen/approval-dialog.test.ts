import type { ApprovalRequest } from "@haft/core/approval";
import { expect, it } from "vitest";
import { headlessTerminal } from "../../../test/support/headless-terminal.ts";
import { drawMarkdown } from "../../draw/rich/markdown.ts";
import { ApprovalDialog } from "./approval-dialog.ts";

const request: ApprovalRequest = {
  ...{ id: "q", callId: "c", agent: { id: "main" }, tool: "Write", title: "Write a.txt", input: {}, effects: [] },
  ...{ show: { kind: "text", text: "words" }, why: "It asks.", destructive: false, suggestions: [] },
};

it("U09 a smaller window draws an open question once, and in full above if it no longer fits", async () => {
  await using terminal = await headlessTerminal(100, 30);
  const words = Array.from({ length: 12 }, (_, at) => `word ${at}.`);
  const show = { kind: "text", text: words.join("\n") } as const;
  void terminal.screen.ask({ ...request, show }, new AbortController().signal);
  expect((await terminal.lines()).join("\n")).toContain("word 11.");
  for (const [columns, rows] of [
    [100, 12],
    [50, 12],
    [100, 30],
  ] as const) {
    await terminal.resize(columns, rows);
    const text = (await terminal.lines()).join("\n");
    expect(text.match(/The whole question is above/g)).toHaveLength(1);
    for (const word of words) expect(text.split(word)).toHaveLength(2);
    expect(text.match(/y {2}Yes/g)).toHaveLength(1);
  }
});

it("U09 a long question names its subject once", async () => {
  await using terminal = await headlessTerminal(100, 45);
  const show = { kind: "text", text: "line\n".repeat(20) } as const;
  void terminal.screen.ask({ ...request, show }, new AbortController().signal);
  expect((await terminal.lines()).filter((line) => line.startsWith("? "))).toHaveLength(1);
});

it("U10 a plan is shown as Markdown, and nothing in it is hidden", () => {
  const text =
    "# Plan\n\nWe **double** it.\n\n| file | lines |\n| --- | --- |\n| a.js | 3 |\n\n[hidden]: <https://example.org>\n<!-- note -->\n\u001b[2J";
  const show = { kind: "group", title: "Write a.txt", items: [{ kind: "markdown", text }] } as const;
  const dialog = new ApprovalDialog({
    ...{ request: { ...request, show }, place: () => "", now: () => 0, typedAt: Number.NEGATIVE_INFINITY },
    ...{ answer: () => {}, edit: () => {} },
  });
  const shown = dialog.lines({ color: false, width: 80, markdown: drawMarkdown }, 40).join("\n");
  expect(shown).toContain("  │ We double it.");
  expect(shown).toMatch(/ {2}│ file │ lines\n {2}│ ─+┼─+\n {2}│ a\.js │ 3/);
  for (const hidden of ["https://example.org", "<!-- note -->", "␛[2J"]) expect(shown).toContain(hidden);
});
