import fc from "fast-check";
import { expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { type Form, type FormField, fieldProblem, formChoices, formDefaults, formProblem } from "./form.ts";

const tags: FormField = {
  type: "array",
  minItems: 1,
  maxItems: 2,
  items: {
    anyOf: [
      { const: "a", title: "Apple" },
      { const: "b", title: "Berry" },
    ],
  },
};

it.each([
  [{ type: "string", minLength: 2, maxLength: 3 }, "ab", "a", "abcd", 7],
  [{ type: "string", maxLength: 1 }, "😀", "😀😀"],
  [{ type: "string", format: "email" }, "a@b.c", "a", "a@ b"],
  [{ type: "string", format: "uri" }, "https://a.b/c", "a b", "/etc"],
  [{ type: "string", format: "date" }, "2024-02-29", "2023-02-29", "2026-06-31", "today"],
  [{ type: "string", format: "date-time" }, "2026-07-28T12:00:00Z", "2026-07-28", "2026-07-28T99:00:00Z"],
  [{ type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }, "r", "Red", "toString"],
  [{ type: "string", oneOf: [{ const: "s", title: "Small" }] }, "s", "Small"],
  [{ type: "integer", minimum: 0, maximum: 9 }, 3, -1, 10, 1.5, "3"],
  [{ type: "number" }, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1"],
  [{ type: "boolean" }, false, "no", 0],
  [tags, ["a", "b"], [], ["a", "a"], ["c"], "a", [1]],
] as [FormField, unknown, ...unknown[]][])(
  "Q07 a field %j takes what fits it and nothing else",
  (field, good, ...bad) => {
    expect(fieldProblem(field, good)).toBeUndefined();
    for (const value of bad) expect(fieldProblem(field, value)).toMatch(/^(must|names)/);
  },
);

it("Q07 choices are told with the names that people know", () => {
  expect(formChoices({ enum: ["r", "g"], enumNames: ["Red"] })).toEqual([
    { value: "r", title: "Red" },
    { value: "g", title: "g" },
  ]);
  expect(formChoices(tags)?.map(({ title }) => title)).toEqual(["Apple", "Berry"]);
  expect(formChoices({ type: "string" })).toBeUndefined();
});

it("Q07 a form is whole only with all that is required and nothing that was not asked for", () => {
  const form: Form = { type: "object", properties: { a: { type: "string", default: "x" }, b: {} }, required: ["b"] };
  expect(formDefaults(form)).toEqual({ a: "x" });
  expect(formProblem(form, formDefaults(form))).toBe('"b" is missing');
  expect(formProblem(form, { b: "1" })).toBeUndefined();
  expect(formProblem(form, { b: "1", c: "2" })).toBe('"c" was not asked for');
  for (const value of [null, [], "b", undefined]) expect(formProblem(form, value)).toBeDefined();
});

it("Q07 no value makes the check itself fail, for any field", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("string", "integer", "number", "boolean", "array", "x"),
      fc.anything(),
      (type, value) => {
        const problem = formProblem({ type: "object", properties: { f: { type } } }, { f: value });
        expect(problem === undefined || problem.startsWith('"f" ')).toBe(true);
      },
    ),
  );
});
