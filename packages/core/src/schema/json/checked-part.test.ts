import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../../test/support/seed.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { type JsonSchema, parse, toSchema } from "../index.ts";

const fits = (json: JsonSchema, value: unknown, isForeign: boolean): boolean => {
  const parsed = parse(toSchema(json, "tool T", { isForeign }), value);
  if (parsed instanceof Promise) throw new Error("A JSON Schema answers at once.");
  return parsed.ok;
};

const PATTERNS = ["^a+$", "b", "^(?:c|d)*$"];
const NAMES = ["one", "two", "aaa"];
const name = fc.constantFrom(...NAMES);

/** Schemas of every keyword of which the part that is checked could refuse more than the whole. */
const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const some = tie("schema");
  const fields = fc.dictionary(name, some, { maxKeys: 2 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: fc.constantFrom("string", "object", "array", "integer") }),
      fc.record({ type: fc.constant("string"), pattern: fc.constantFrom(...PATTERNS) }),
      fc.record({ type: fc.constant("string"), minLength: fc.nat(3) }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom("a", "b", 1, null), { minLength: 1 }) }),
      fc.record({ not: some }),
      fc.record({ oneOf: fc.array(some, { minLength: 1, maxLength: 3 }) }),
      fc.record({ anyOf: fc.array(some, { minLength: 1, maxLength: 3 }), allOf: fc.array(some, { maxLength: 2 }) }),
      fc
        .tuple(some, some, some)
        .map((three) => Object.fromEntries(["if", "then", "else"].map((word, at) => [word, three[at]]))),
      fc.record({ properties: fields, required: fc.uniqueArray(name, { maxLength: 1 }) }),
      fc.record({
        properties: fields,
        patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), some, { maxKeys: 1 }),
        additionalProperties: fc.oneof(fc.boolean(), some),
      }),
      fc.record({ allOf: fc.array(some, { maxLength: 2 }), unevaluatedProperties: fc.constant(false) }),
      fc.record({ propertyNames: some }),
      fc.record({ items: some, maxItems: fc.nat(3) }),
      fc.record({ contains: some, maxContains: fc.nat(1) }),
      fc.record({ $ref: fc.constantFrom("#", "#/$defs/part") }),
    ),
  };
});

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("", "a", "aaa", "b", "cd", 1, 7, null, true),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(name, tie("any"), { maxKeys: 3 }),
  ),
})).any;

describe("the schema of a stranger", () => {
  it("B04 takes everything that the whole schema takes", () => {
    let told = 0;
    fc.assert(
      fc.property(schema, schema, fc.dictionary(name, value, { maxKeys: 3 }), (field, part, input) => {
        const json = { type: "object", properties: { one: field, two: field }, $defs: { part } };
        let whole = false;
        try {
          whole = fits(json, input, false);
        } catch {
          // A reference in a circle: the whole schema is refused before.
          return;
        }
        if (!whole) return;
        told += 1;
        expect(fits(json, input, true)).toBe(true);
      }),
      { numRuns: 400 },
    );
    expect(told).toBeGreaterThan(50);
  });

  it("B04 refuses what a missing field, a wrong type or an unknown name tells at once, and fills what is missing", () => {
    const json = {
      type: "object",
      properties: { path: { $ref: "#/$defs/path" }, depth: { type: "integer", default: 3, maximum: 9 } },
      required: ["path"],
      additionalProperties: false,
      $defs: { path: { type: "string", pattern: "^(a+)+$" } },
    };
    const check = toSchema(json, "tool T", { isForeign: true });
    expect(check.json).toBe(json);
    expect(parse(check, { path: `${"a".repeat(40)}!` })).toMatchObject({ ok: true, value: { depth: 3 } });
    for (const wrong of [{}, { path: 1 }, { path: "a", depth: 10 }, { path: "a", other: 1 }])
      expect(parse(check, wrong)).toMatchObject({ ok: false });
  });

  it("B04 ends soon with references that multiply, when it is made and when it is used", () => {
    const parts = (keyword: string) =>
      Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [
          `p${at}`,
          at === 49 ? { type: "object" } : { [keyword]: Array(3).fill({ $ref: `#/$defs/p${at + 1}` }) },
        ]),
      );
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const started = performance.now();
      const check = toSchema({ $ref: "#/$defs/p0", $defs: parts(keyword) }, "tool T", { isForeign: true });
      expect(parse(check, { a: [1] })).toMatchObject({ ok: true });
      expect(performance.now() - started).toBeLessThan(patience(2_000));
    }
  });
});
