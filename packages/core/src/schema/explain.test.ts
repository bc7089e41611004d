import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { explainIssues } from "./explain.ts";
import { type JsonSchema, parse, type Schema, type SchemaLike, toSchema } from "./index.ts";

function explain(source: SchemaLike, input: unknown, what = ""): string[] {
  const schema: Schema = toSchema(source, "tool T");
  const result = parse(schema, input);
  if (result instanceof Promise || result.ok) throw new Error("the input must not fit");
  return explainIssues(result.issues, input, schema.json, what).split("\n");
}

const object = (properties: Record<string, unknown>, rest: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...rest,
});

describe("explainIssues", () => {
  it("B07 a missing field, a misspelt one and a wrong type each get a line", () => {
    const json = object({ file_path: { type: "string" }, limit: { type: "number" } }, { required: ["file_path"] });
    expect(explain(json, { filePath: "a", limit: "ten" }, "tool Read")).toEqual([
      "The input of tool Read does not fit its schema:",
      "file_path: required, but missing.",
      "filePath: unknown field; did you mean file_path?",
      'limit: expected number, received string "ten".',
    ]);
  });

  it.each<[string, unknown, unknown, string]>([
    [
      "enum",
      { enum: ["read", "write"] },
      "wirte",
      'f: expected one of "read", "write", received string "wirte"; did you mean "write"?',
    ],
    ["constant", { const: 3 }, 4, "f: expected 3, received number 4."],
    ["two types", { type: ["string", "null"] }, 4, "f: expected string or null, received number 4."],
    ["integer", { type: "integer" }, 1.5, "f: expected integer, received number 1.5."],
    ["null", { type: "string" }, null, "f: expected string, received null."],
    ["list", { type: "string" }, [1, 2], "f: expected string, received array of 2."],
    ["object", { type: "string" }, { a: 1, b: 2 }, "f: expected string, received object with a, b."],
    ["minimum", { type: "integer", minimum: 1 }, 0, "f: expected at least 1, received 0."],
    ["exclusive maximum", { type: "number", exclusiveMaximum: 1 }, 1, "f: expected less than 1, received 1."],
    ["multiple", { type: "number", multipleOf: 5 }, 7, "f: expected a multiple of 5, received 7."],
    [
      "empty string",
      { type: "string", minLength: 1 },
      "",
      "f: expected at least 1 character, received an empty string.",
    ],
    ["long string", { type: "string", maxLength: 2 }, "abc", "f: expected at most 2 characters, received 3."],
    ["pattern", { type: "string", pattern: "^a" }, "b", 'f: expected a string that matches /^a/, received "b".'],
    ["items", { type: "array", minItems: 2 }, [1], "f: expected at least 2 items, received 1."],
    ["item", { type: "array", items: { type: "string" } }, ["a", 1], "f[1]: expected string, received number 1."],
    [
      "encoded",
      { type: "array" },
      "[1]",
      'f: expected array, received string "[1]"; send the array itself, not JSON text.',
    ],
    ["union", { anyOf: [{ type: "string" }, { type: "array" }] }, 5, "f: expected string or array, received number 5."],
    ["forbidden", false, 5, "f: not allowed here."],
  ])("%s", (_name, field, value, line) => {
    expect(explain(object({ f: field }), { f: value })).toEqual([line]);
  });

  it("explains the branch of a union that the input means", () => {
    const action = (name: string, extra: string) =>
      object({ action: { const: name }, [extra]: { type: "string" } }, { required: ["action", extra] });
    const json = { oneOf: [action("go", "to"), action("speak", "text")] };
    expect(explain(json, { action: "speak" })).toEqual(["text: required, but missing."]);
    expect(explain(json, { action: "spaek" })).toEqual([
      'action: expected one of "go", "speak", received string "spaek"; did you mean "speak"?',
    ]);
  });

  it("an unknown field without a likely meaning is answered with the fields there are", () => {
    const json = object({ a: {}, b: {} }, { additionalProperties: false });
    expect(explain(json, { colour: 1 })).toEqual(["colour: unknown field; the fields are a, b."]);
    expect(explain({ type: "object", additionalProperties: false }, { colour: 1 })).toEqual([
      "colour: unknown field; there are no fields here.",
    ]);
  });

  it("eight lines, then the count; long values and lists are shortened", () => {
    const names = Array.from({ length: 12 }, (_, index) => `field${index}`);
    const lines = explain(object({}, { required: names }), {});
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe("and 4 more.");
    const [line] = explain(object({ f: { enum: names } }), { f: `${"x".repeat(500)}\u001b[2J` });
    expect(line).toContain("and 2 more");
    expect(line?.length).toBeLessThan(220);
    expect(line).not.toContain("\u001b");
  });

  it("a fault that no schema shows keeps the validator's own message, and its neighbours are left alone", () => {
    const schema = z.object({ even: z.number().refine((n) => n % 2 === 0, "must be even."), count: z.coerce.number() });
    expect(explain(schema, { even: 3, count: "5" })).toEqual(["even: must be even, received 3."]);
    expect(explain(object({ at: { type: "string", format: "email" } }), { at: "x" })[0]).toMatch(
      /^at: .*email.*received "x"\.$/,
    );
  });

  it("nested fields and strange names are written so that they can be found", () => {
    const json = object({ "a b": object({ list: { type: "array", items: object({ n: { type: "number" } }) } }) });
    expect(explain(json, { "a b": { list: [{ n: "x" }] } })).toEqual([
      '["a b"].list[0].n: expected number, received string "x".',
    ]);
  });

  it("a refused value is explained with at least one line, each of one line", () => {
    const json = object(
      {
        a: { anyOf: [{ type: "number" }, object({ b: { type: "string" } }, { required: ["b"] })] },
        c: { type: "array", items: { enum: [1, "x"] } },
      },
      { required: ["a"], additionalProperties: { type: "boolean" } },
    );
    const schema = toSchema(json, "tool T");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record({ a: fc.jsonValue(), c: fc.jsonValue(), d: fc.jsonValue() }, { requiredKeys: [] }),
        ),
        (input) => {
          const result = parse(schema, input);
          if (result instanceof Promise || result.ok) return;
          const text = explainIssues(result.issues, input, schema.json, "");
          expect(text).not.toBe("");
          for (const line of text.split("\n")) expect(line).toMatch(/^(\S.*: .+[.?!]|and \d+ more\.)$/);
        },
      ),
    );
  });
});
