import type { ApprovalRequest } from "@haft/core/approval";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { headlessTerminal } from "../../test/support/headless-terminal.ts";
import { callEvents, delta, finish, part, prompt, status } from "../../test/support/view-events.ts";
import { inset, insetLines } from "./commands/built-in.ts";

it("U01 finished rows are written once, and only the lines below them change", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const { screen } = terminal;
  let before: string[] = [];
  const events = [
    ...[status("working"), prompt("Go.")],
    ...Array.from({ length: 20 }, (_, at) => delta(`Paragraph ${at} of the answer.\n\n`)),
    ...[part(Array.from({ length: 20 }, (_, at) => `Paragraph ${at} of the answer.\n\n`).join("")), finish],
    ...Array.from({ length: 10 }, (_, at) => callEvents(`c${at}`, `line of c${at}\n`)).flat(),
    status("idle"),
  ];
  for (const event of events) {
    screen.hear(event);
    const lines = await terminal.lines();
    // Above the live region, which is always smaller than the window, nothing is ever touched.
    const kept = before.slice(0, Math.max(0, before.length - 11));
    expect(lines.slice(0, kept.length)).toEqual(kept);
    before = lines;
  }
  const text = before.join("\n");
  for (let at = 0; at < 20; at++) expect(text.split(`Paragraph ${at} of the answer.`)).toHaveLength(2);
  for (let at = 0; at < 10; at++) expect(text.split(`● run c${at}`)).toHaveLength(2);
});

it("U16 nothing in texts and outputs steers the terminal", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const { screen } = terminal;
  const evil =
    "a\u001b]0;title\u0007b\u001b[2Jc\u001b[3Jd\u0007e\u009b2Jf\u202eg\u200bh\u001b[?1049hi日本語👩‍👩‍👧end\tx\ty\tz\tw\tv";
  for (const event of [
    status("working"),
    prompt(evil),
    delta(evil),
    part(evil),
    finish,
    ...callEvents("c1", `${evil}\n${"1%\r".repeat(50)}100%\n`),
    status("idle"),
  ])
    screen.hear(event);
  const text = (await terminal.lines()).join("\n");
  expect(terminal.side).toEqual([]);
  for (const forbidden of ["\u202e", "\u009b", "\u001b[2J", "\u001b[3J", "\u001b]0", "\u001b[?1049"])
    expect(terminal.bytes()).not.toContain(forbidden);
  expect(text).toContain("日本語");
  expect(text).toContain("100%");
  expect(text).toContain("test/model");
});

it("U03 a line of a megabyte is shown by its end, and costs no more than a screen", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const { screen } = terminal;
  screen.hear(status("working"));
  const [received, start, progress] = callEvents("c1", "x".repeat(1_000_000));
  screen.hear(received!);
  screen.hear(start!);
  await terminal.lines();
  const before = terminal.bytes().length;
  screen.hear(progress!);
  expect((await terminal.lines()).join("\n")).toContain("1.0 MB");
  expect(terminal.bytes().length - before).toBeLessThan(20_000);
  const text = `start ${"x".repeat(1_000_000)}`;
  for (const event of callEvents("c1", text).slice(3)) screen.hear(event);
  screen.hear(status("idle"));
  expect((await terminal.lines()).join("\n")).toMatch(/start x+[\s\S]* … 999,006 more characters/);
  expect(terminal.bytes().length - before).toBeLessThan(40_000);
  expect(screen.transcript().replaceAll(/[^x]/g, "").length).toBeGreaterThan(1_000_000 - 10);
});

it("U01 a long text without a break is not drawn anew with each of its pieces, and comes whole", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const { screen } = terminal;
  screen.hear(status("working"));
  const pieces = Array.from({ length: 50 }, (_, at) => `${at}:`.padEnd(4_000, "x"));
  let most = 0;
  for (const piece of pieces) {
    screen.hear(delta(piece));
    screen.frame();
    most = Math.max(most, ...screen.printed.map(({ text }) => text.length));
  }
  // The rows that are drawn again with each frame are short, so the printed part is nearly everything.
  const shown = screen.printed.map(({ text }) => text).join("");
  expect(shown).toContain("48:x");
  expect(most).toBeLessThan(20_000);
  screen.hear(part(pieces.join("")));
  screen.hear(finish);
  screen.hear(status("idle"));
  screen.frame();
  const all = screen.printed.map(({ text }) => text).join("");
  expect(all.replaceAll(/\s/g, "")).toContain(pieces.join(""));
});

it("U01 a block of code that is longer than a part goes on as code, without a gap", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const { screen } = terminal;
  screen.hear(status("working"));
  const code = Array.from({ length: 1_000 }, (_, at) => `const value${at} = ${at};\n`).join("");
  for (const event of [delta(`\`\`\`ts\n${code}`), delta("```\n\nThe end.")]) {
    screen.hear(event);
    screen.frame();
  }
  screen.hear(part(`\`\`\`ts\n${code}\`\`\`\n\nThe end.`));
  screen.hear(status("idle"));
  await terminal.lines();
  const lines = (await terminal.lines()).map((line) => line.trim()).filter((line, at) => at > 0 || line !== "");
  const first = lines.findIndex((line) => line.includes("value0 "));
  expect(lines.slice(first, first + 1_000)).toEqual(
    Array.from({ length: 1_000 }, (_, at) => `▏ const value${at} = ${at};`),
  );
});

const request: ApprovalRequest = {
  ...{ id: "q", callId: "c", agent: { id: "main" }, tool: "Write", title: "Write a.txt", input: {}, effects: [] },
  show: {
    kind: "diff",
    path: "a.txt",
    before: "",
    after: "",
    added: 90,
    removed: 0,
    unified: `@@ -0,0 +1,90 @@\n${"+line\n".repeat(90)}`,
  },
  ...{
    why: "Mode default asks.",
    destructive: false,
    suggestions: [{ label: "", rules: ["Edit(/a.txt)"], scope: "session" }],
  },
};

it("U09 the live lines are fewer than the window has, in every state and size", async () => {
  await using terminal = await headlessTerminal(80, 24);
  const { screen } = terminal;
  screen.hear(status("working"));
  screen.hear(prompt("Go.\n".repeat(30)));
  screen.hear(delta(`${"word ".repeat(500)}`));
  for (const event of callEvents("c1", "line\n".repeat(50)).slice(0, 3)) screen.hear(event);
  const sizes = fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 3, max: 60 }) });
  const holds = async () =>
    fc.assert(
      fc.asyncProperty(sizes, async ({ columns, rows }) => {
        await terminal.resize(columns, rows);
        expect(screen.frame().length).toBeLessThan(rows);
      }),
      { numRuns: runs(20) },
    );
  await holds();
  screen.paste("several\nlines\n".repeat(40));
  await holds();
  const answer = screen.ask(request, new AbortController().signal);
  await holds();
  screen.key({ input: "", key: { escape: true } });
  expect(await answer).toEqual({ behavior: "deny" });
});

it("U09 in a terminal of 20×5 a question is shown and answered, and a prompt is typed", async () => {
  await using terminal = await headlessTerminal(20, 5);
  const { screen } = terminal;
  const answer = screen.ask(request, new AbortController().signal);
  const lines = await terminal.lines();
  expect(lines.every((line) => !line.includes("\u001b"))).toBe(true);
  expect(lines.slice(-4).join("\n")).toMatch(/Yes/);
  screen.key({ input: "y", key: {} });
  expect(await answer).toMatchObject({ behavior: "allow" });
  terminal.type("look");
  await expect.poll(async () => (await terminal.lines()).join("\n")).toContain("look");
  terminal.type("\r");
  await expect.poll(() => terminal.submitted).toEqual(["look"]);
  expect(screen.frame().length).toBeLessThan(5);
});

it("U10 in a terminal of 20×5 the words of a no are to be seen while they are written", async () => {
  await using terminal = await headlessTerminal(20, 5);
  void terminal.screen.ask(request, new AbortController().signal);
  terminal.type("n");
  await terminal.lines();
  terminal.type("use pnpm");
  await expect.poll(() => terminal.lines()).toContainEqual(expect.stringContaining("❯ use pnpm"));
});

it("U09 a question that is longer than the window is above it in full, once", async () => {
  await using terminal = await headlessTerminal(80, 24);
  void terminal.screen.ask(request, new AbortController().signal);
  const lines = await terminal.lines();
  expect(lines.filter((line) => /^ {2}│ +\d+ \+ line$/.test(line))).toHaveLength(90);
  expect(lines.join("\n")).toContain("The whole question is above.");
});

it("U09 keys of somebody who is typing do not answer a question that comes up", async () => {
  await using terminal = await headlessTerminal();
  const { screen } = terminal;
  screen.key({ input: "y", key: {} });
  const answer = screen.ask(request, new AbortController().signal);
  screen.key({ input: "y", key: {} });
  screen.key({ input: "", key: { return: true } });
  expect(screen.isAsking).toBe(true);
  for (let pause = 0; pause < 260; pause++) screen.frame();
  screen.key({ input: "a", key: {} });
  expect(await answer).toEqual({ behavior: "allow", remember: request.suggestions[0] });
});

it("U10 a dangerous call defaults to no, and a no can say what to do instead", async () => {
  await using terminal = await headlessTerminal();
  const { screen } = terminal;
  const risky = screen.ask({ ...request, destructive: true }, new AbortController().signal);
  screen.key({ input: "", key: { return: true } });
  expect(await risky).toEqual({ behavior: "deny" });
  const told = screen.ask(request, new AbortController().signal);
  screen.key({ input: "n", key: {} });
  for (const letter of "use b.txt") screen.key({ input: letter, key: {} });
  screen.key({ input: "", key: { return: true } });
  expect(await told).toEqual({ behavior: "deny", message: "use b.txt" });
});

it("E24 a pasted text of a megabyte is a mark in the line, and comes whole", async () => {
  await using terminal = await headlessTerminal();
  const text = `${"x".repeat(1_000_000)}\nend`;
  terminal.type(`\u001b[200~${text}\u001b[201~`);
  await expect.poll(async () => (await terminal.lines()).join("\n")).toContain("[Pasted text 1: 2 lines]");
  terminal.type("\r");
  await expect.poll(() => terminal.submitted).toEqual([text]);
  const line = "one word ".repeat(120_000);
  terminal.type(`\u001b[200~${line}\u001b[201~`);
  await expect.poll(async () => (await terminal.lines()).join("\n")).toContain("[Pasted text 2: 1,080,000 characters]");
  terminal.type("\r");
  await expect.poll(() => terminal.submitted).toEqual([text, line]);
  terminal.screen.hear(prompt(line));
  expect(terminal.screen.transcript().match(/one\s+word/g)!.length).toBeGreaterThan(100_000);
});

it("U16 the output of commands stays off the left edge, at every width", () => {
  const report =
    "ok      a: one two three four five six seven eight\n        - nine ten eleven twelve thirteen fourteen";
  for (const width of [20, 40, 100]) {
    const lines = insetLines(report, width).split("\n");
    expect(lines.every((line) => /^ {2}/.test(line) && line.length <= width)).toBe(true);
    expect(lines.join(" ").replaceAll(/\s+/g, " ").trim()).toBe(report.replaceAll(/\s+/g, " "));
  }
  const drawn = inset({ color: false, width: 40 }, ({ width }) => `a\n\n${"x".repeat(width)}`);
  expect(drawn).toBe(`  a\n\n  ${"x".repeat(38)}`);
});

it("U01 a long conversation that is resumed begins with its latest rows, and the transcript has all of it", async () => {
  await using terminal = await headlessTerminal(60, 12);
  const messages = Array.from({ length: 500 }, (_, at) => ({
    role: "user" as const,
    content: [{ type: "text" as const, text: `Request ${at}.` }],
  }));
  terminal.screen.resume(messages, []);
  const text = (await terminal.lines()).join("\n");
  expect(text).toContain("300 earlier rows: Ctrl-O shows the whole conversation.");
  expect(text).toContain("Request 300.");
  expect(text).toContain("Request 499.");
  expect(text).not.toContain("Request 299.");
  expect(terminal.screen.transcript()).toContain("Request 0.");
});
