import type { Answer, ApprovalRequest, Form } from "@haft/core/approval";
import { expect, it } from "vitest";
import { PLAIN } from "../../draw/style.ts";
import { personAsker } from "./ask-person.ts";

const form: Form = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    age: { type: "integer", maximum: 150, default: 30 },
    ok: { type: "boolean", default: true },
    size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] },
    tags: { type: "array", maxItems: 2, items: { enum: ["a", "b", "c"] } },
  },
  required: ["name", "age"],
};

const request: ApprovalRequest = {
  id: "r1",
  callId: "mcp-question-pal",
  agent: { id: "main" },
  tool: "mcp__pal",
  title: 'Question from the MCP server "pal"',
  input: { age: 30, ok: true },
  form,
  effects: [],
  show: { kind: "text", text: "Who are you?" },
  why: "It asks.",
  destructive: false,
  suggestions: [],
};

/** Answers the form with these lines; afterwards nobody is there. */
const typed = (...lines: string[]) => typedInto(form, ...lines);

async function typedInto(form: Form, ...lines: string[]): Promise<{ answer: Answer | undefined; said: string }> {
  let said = "";
  const ask = personAsker(
    PLAIN,
    (text) => {
      said += text;
    },
    async (prompt) => {
      said += prompt;
      return lines.shift();
    },
  );
  return { answer: await ask({ ...request, form }, new AbortController().signal), said };
}

it("Q07 a yes to a form asks for each field, takes the names of choices, and sends what was seen", async () => {
  const { answer, said } = await typed("y", "Ann", "", "n", "large", "a, c", "y");
  expect(answer).toEqual({
    behavior: "allow",
    input: { name: "Ann", age: 30, ok: false, size: "l", tags: ["a", "c"] },
  });
  expect(said).toContain("Answer? [Y/n]");
  expect(said).toContain("Your name: ");
  expect(said).toContain("age [30]: ");
  expect(said).toContain("ok (yes or no) [yes] (- for nothing): ");
  expect(said).toContain("size (s = Small, l = Large) [nothing]: ");
  expect(said).toContain('  tags = ["a","c"]\nSend this? [Y/n/e] ');
});

it("Q07 an invalid value is named and asked for again; an optional one may be left out", async () => {
  const { answer, said } = await typed(
    "",
    "",
    "A",
    "Ann",
    "151",
    "old",
    "7",
    "maybe",
    "-",
    "smal",
    "",
    "a,b,c",
    "",
    "",
  );
  expect(answer).toEqual({ behavior: "allow", input: { name: "Ann", age: 7 } });
  expect(said).toContain("name must have at least 2 characters.");
  expect(said).toContain("age must be at most 150.");
  expect(said).toContain("age must be a number.");
  expect(said).toContain("ok must be yes or no.");
  expect(said).toContain("size must be one of s, l. Did you mean Small?");
  expect(said).toContain("tags must name at most 2.");
});

it("Q07 a text that is needed is not left empty by Enter alone", async () => {
  const note: Form = { type: "object", properties: { note: { type: "string" } }, required: ["note"] };
  const { answer, said } = await typedInto(note, "y", "", '""', "y");
  expect(said).toContain('note is required; type "" for an empty text.');
  expect(answer).toEqual({ behavior: "allow", input: { note: "" } });
});

it("Q07 a filled form can be gone through again, with what was typed proposed, and still be refused", async () => {
  const { answer, said } = await typed("y", "Ann", "", "", "", "", "e", "", "8", "", "", "", "n");
  expect(said).toContain("Your name [Ann]: ");
  expect(said).toContain("  age = 8\n");
  expect(answer).toEqual({ behavior: "deny" });
});

it.each([
  ["no", ["n"], { behavior: "deny" }],
  ["nobody any more, in the middle", ["y", "Ann"], undefined],
  ["nobody any more, at the end", ["y", "Ann", "", "", "", ""], undefined],
])("Q07 a form that gets %s is not sent", async (_, lines, expected) => {
  expect((await typed(...lines)).answer).toEqual(expected);
});
