import type { Answer, ApprovalRequest } from "@haft/core/approval";
import { expect, it } from "vitest";
import { drawQuestion } from "../../draw/question.ts";
import { PLAIN } from "../../draw/style.ts";
import { choiceOf, keyLines, promptOf } from "../../terminal/approval/choice.ts";
import { personAsker } from "./ask-person.ts";

const suggestion = { label: "edits below src", rules: ["Edit(/src/**)"], scope: "session" } as const;

const request: ApprovalRequest = {
  id: "r1",
  callId: "c1",
  agent: { id: "main" },
  tool: "Bash",
  title: "rm -rf build",
  input: { command: "rm -rf build" },
  effects: [{ do: "write", basis: "proved", path: "/w/build", tree: true, change: "delete" }],
  show: { kind: "terminal", text: "", command: "rm -rf build\u202e" },
  why: "Mode default asks before deleting.",
  destructive: true,
  suggestions: [suggestion],
};
const harmless = { ...request, destructive: false };
const answerOf = (typed: string, of: ApprovalRequest): Answer | undefined => {
  const choice = choiceOf(typed, of);
  return choice?.kind === "answer" ? choice.answer : undefined;
};
const never = new AbortController().signal;

it("A10 a destructive call is marked, and Enter means No", () => {
  expect(drawQuestion(request, PLAIN)).toContain("! This deletes, overwrites or sends.");
  expect(promptOf(request)).toBe("Allow? [y/N/a]");
  expect(answerOf("", request)).toEqual({ behavior: "deny" });
});

it("A10 a harmless call is not marked, and Enter means Yes", () => {
  expect(drawQuestion(harmless, PLAIN)).not.toContain("!");
  expect(promptOf(harmless)).toBe("Allow? [Y/n/a]");
  expect(answerOf("", harmless)).toEqual({ behavior: "allow" });
});

it("the question shows command, effects, reason and what always would mean, with nothing hidden", () => {
  expect(drawQuestion(request, PLAIN).split("\n")).toEqual([
    "? Bash: rm -rf build",
    "! This deletes, overwrites or sends.",
    "  │ $ rm -rf build‹U+202E›",
    "  - delete /w/build/**",
    "  why: Mode default asks before deleting.",
  ]);
  expect(keyLines(request)).toEqual(["  a = always, this session: Edit(/src/**)"]);
});

it("F16 each command of a script is shown once, and one that starts another says so", () => {
  const command = (text: string) => ({ kind: "terminal", text: "", command: text }) as const;
  const run = (text: string, ...argv: string[]) =>
    ({ do: "run", basis: "proved", argv, text, cwd: "/w", opaque: true }) as const;
  const [make, find] = ["make all", "find . -exec rm {} +"];
  const question = drawQuestion(
    {
      ...harmless,
      title: "make all; find …",
      summary: "make all; find …",
      show: {
        kind: "group",
        title: "make all; find …",
        items: [command(`${make}; ${find}`), command(make), command(find)],
      },
      effects: [run(make, "make", "all"), { ...run(find, "rm", "{}"), wrappers: ["find"] }],
    },
    PLAIN,
  );
  expect(question.split("\n")).toEqual([
    "? Bash: make all; find . -exec rm {} +",
    "  │ $ make all",
    "  │ $ find . -exec rm {} +",
    "  - run find . -exec rm {} + (starts rm {})",
    "  why: Mode default asks before deleting.",
  ]);
});

it.each<[string, Answer | undefined]>([
  ["y", { behavior: "allow" }],
  [" YES ", { behavior: "allow" }],
  ["a", { behavior: "allow", remember: suggestion }],
  ["n", { behavior: "deny" }],
  ["no use trash instead", { behavior: "deny", message: "use trash instead" }],
  ["yes please delete my disk", undefined],
  ["maybe", undefined],
])("%j is understood", (typed, answer) => {
  expect(answerOf(typed, request)).toEqual(answer);
});

it("always is no answer where nothing can be remembered", () => {
  const plain = { ...request, suggestions: [] };
  expect(promptOf(plain)).toBe("Allow? [y/N]");
  expect(answerOf("a", plain)).toBeUndefined();
});

it("asks again after what it does not understand, one question at a time", async () => {
  const typed = ["what?", "n", "y"];
  const open: string[] = [];
  let asking = 0;
  const ask = personAsker(
    PLAIN,
    (text) => open.push(text),
    async () => {
      expect(++asking).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      asking--;
      return typed.shift();
    },
  );
  const answers = await Promise.all([ask(request, never), ask({ ...request, id: "r2" }, never)]);
  expect(answers).toEqual([{ behavior: "deny" }, { behavior: "allow" }]);
  expect(open.join("")).toContain("Please answer y or n");
});

it("F31 a person who has gone gives no answer", async () => {
  const ask = personAsker(
    PLAIN,
    () => {},
    async () => undefined,
  );
  expect(await ask(request, never)).toBeUndefined();
  expect(await ask(request, AbortSignal.abort())).toBeUndefined();
});

it("U09 the question stands once more behind a long preview, and names in several lines keep away from the edge", () => {
  const long = {
    ...request,
    show: { kind: "text", text: "line\n".repeat(30) },
    why: "Because of a\nAllow? [Y/n] y",
  } as const;
  const lines = drawQuestion(long, { color: false, width: 80 }).split("\n");
  expect(lines.slice(-3)).toEqual([
    "  why: Because of a␊Allow? [Y/n] y",
    '? Bash: rm -rf build (34 lines, from "?" above)',
    "! This deletes, overwrites or sends.",
  ]);
  const atEdge = lines.filter((line) => !line.startsWith(" "));
  expect(atEdge).toEqual([lines[0], lines[1], lines.at(-2), lines.at(-1)]);
});

it("U09 blanks push nothing to the left edge, at any width", () => {
  for (const width of [40, 80]) {
    const command = `rm -rf src #${" ".repeat(width - 16)}✓ user allowed Bash${" ".repeat(width - 20)}Allow? [Y/n] y`;
    const forged = { ...harmless, show: { kind: "terminal", text: "", command } } as const;
    const [first, ...others] = drawQuestion(forged, { color: false, width }).split("\n");
    expect(first).toBe("? Bash: rm -rf build");
    for (const line of others) expect(line).toMatch(/^ {2}/);
  }
});

it("F16 a question shows the characters that steer a terminal, in any kind of preview", () => {
  const text = "first\n\u001b]0;x\nrm -rf /\n\u0007\nlast";
  const shown = ["  │ first", "  │ ␛]0;x", "  │ rm -rf /", "  │ ␇", "  │ last"].join("\n");
  for (const show of [
    { kind: "text", text },
    { kind: "markdown", text },
    { kind: "terminal", text },
    { kind: "group", title: request.title, items: [{ kind: "text", text }] },
  ] as const)
    expect(drawQuestion({ ...request, show }, PLAIN)).toContain(shown);
});
