import type { CallEvent } from "@haft/core/executor";
import { expect, it } from "vitest";
import { PLAIN } from "../style.ts";
import { eventRows } from "./progress-row.ts";

/** Rows as they come, under a clock that goes only where it is told to. */
function watched(options: { readonly showsQuestions?: boolean } = {}) {
  const rows: string[] = [];
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  let time = 0;
  const draw = eventRows({
    ...{ style: PLAIN, print: (row) => void rows.push(row), ...options },
    clock: {
      now: () => time,
      after(ms, work) {
        const timer = { at: time + ms, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
  });
  return {
    draw,
    /** The rows since it was last asked. */
    rows: () => rows.splice(0).join("\n").split("\n"),
    pass(ms: number) {
      time += ms;
      for (const timer of timers)
        if (timer.at <= time) {
          timers.delete(timer);
          timer.work();
        }
    },
  };
}

const of = (id: string) => ({ call: { id, tool: "Bash", batch: "b", turn: 1 }, agent: { id: "main" } });
const progress = (id: string, text: string, done: number): CallEvent =>
  ({
    type: "tool:execution:progress",
    ...of(id),
    progress: { display: { kind: "progress", text, done, total: 5 } },
  }) as unknown as CallEvent;
const start = (id: string, isReadOnly = false): CallEvent =>
  ({
    ...{ type: "tool:execution:start", ...of(id), title: id, activity: `Running ${id}` },
    traits: { isReadOnly },
  }) as unknown as CallEvent;
const says = (id: string, output: string): CallEvent =>
  ({ type: "tool:execution:progress", ...of(id), progress: { output } }) as CallEvent;
const end = (id: string, content: object): CallEvent =>
  ({
    ...{ type: "tool:execution:complete", ...of(id), label: id, title: id, summary: "", content },
    outcome: { durationMs: 9, result: { content: [] } },
  }) as unknown as CallEvent;
const terminal = (text: string, exitCode = 0) => ({ kind: "terminal", text, command: "make", exitCode });

it("Q10 a remote call's progress is told, of each call once a second, and nothing in it is obeyed", () => {
  const { draw, rows, pass } = watched();
  draw(progress("c1", "step\u001b[2J one", 1));
  draw(progress("c1", "two", 2));
  draw(progress("c2", "other", 1));
  expect(rows()).toEqual(["  step␛[2J one (1 of 5)", "  other (1 of 5)"]);
  pass(1_000);
  draw(progress("c1", "three", 3));
  pass(2_000);
  draw(progress("c1", "three", 3));
  expect(rows()).toEqual(["  three (3 of 5)"]);
});

it("U03 output of a command that runs on is drawn as it comes, and once", () => {
  const { draw, rows, pass } = watched();
  draw(start("make"));
  draw(says("make", "one\ntw"));
  expect(rows()).toEqual(["… Running make"]);
  pass(700);
  expect(rows()).toEqual(["  one"]);
  draw(says("make", "o\n10%\r20%\r30%\n\u001b[2Jthr"));
  expect(rows()).toEqual(["  two", "  30%"]);
  draw(end("make", terminal("one\ntwo\n10%\r20%\r30%\n\u001b[2Jthr\n[It left a process.]", 2)));
  expect(rows()).toEqual(["  thr", "  [It left a process.]", "● make 9 ms", "  exit code 2"]);
});

it("U03 a short command is drawn once, at its end", () => {
  const { draw, rows, pass } = watched();
  draw(start("make"));
  draw(says("make", "one\n"));
  draw(end("make", terminal("one\n")));
  pass(5_000);
  expect(rows()).toEqual(["… Running make", "● make 9 ms", "  $ make", "  one"]);
});

it("U03 U08 a call that only reads shows that it runs once that takes long, and who speaks", () => {
  const { draw, rows, pass } = watched();
  draw(start("a", true));
  draw(start("b", true));
  draw(says("a", "from a\n"));
  expect(rows()).toEqual([""]);
  pass(700);
  expect(rows()).toEqual(["… Running a", "  from a", "… Running b"]);
  draw(says("b", "from b\n"));
  draw(says("a", "more\n"));
  expect(rows()).toEqual(["  from b", "… Running a", "  more"]);
});

it("U03 the first of very many lines are drawn, then counted, and the last ones at the end", () => {
  const { draw, rows, pass } = watched();
  draw(start("make"));
  pass(700);
  rows();
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);
  draw(says("make", `${lines.join("\n")}\n`));
  expect(rows()).toEqual([...lines.slice(0, 40).map((line) => `  ${line}`), "  … 60 more lines so far"]);
  draw(end("make", terminal(lines.join("\n"))));
  expect(rows()).toEqual(["  … 48 lines before", ...lines.slice(88).map((line) => `  ${line}`), "● make 9 ms"]);
});

it("U02 a diff that was asked about is not shown again", () => {
  const diff = {
    kind: "diff",
    path: "/a",
    before: "1",
    after: "2",
    added: 1,
    removed: 1,
    unified: "@@ -1 +1 @@\n-1\n+2",
  };
  const asked = { type: "tool:permission:request", ...of("e"), request: { show: diff } } as unknown as CallEvent;
  const { draw, rows } = watched({ showsQuestions: true });
  draw(asked);
  draw(end("e", diff));
  expect(rows()).toEqual(["● e 9 ms"]);
  // It has become another one meanwhile.
  draw(asked);
  draw(end("e", { ...diff, unified: "@@ -1 +1 @@\n-1\n+3" }));
  expect(rows()).toContain("  1 + 3");
});
