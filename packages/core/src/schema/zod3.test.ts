import { describe, expect, it } from "vitest";
import { z } from "zod/v3";
import { parse, toSchema } from "./index.ts";

/** What TypeScript makes of `enum Level { Low = 1, High = 2 }`. */
const Level = { 1: "Low", 2: "High", Low: 1, High: 2 } as const;

describe("Zod 3", () => {
  it("B07 says itself as JSON Schema and validates with its own validator", () => {
    const schema = toSchema(
      z.object({
        path: z.string().min(1).max(9).describe("The file."),
        count: z.number().int().min(1).lt(10).optional().describe("How many."),
        mode: z.enum(["a", "b"]).default("a"),
        tags: z.array(z.string().email()).max(3),
        pair: z.tuple([z.string(), z.number()]),
        map: z.record(z.boolean()),
        either: z.union([z.literal("x"), z.null()]),
        maybe: z.string().nullable(),
        length: z.string().transform((text) => text.length),
      }),
      "tool T",
    );
    expect(schema.json).toEqual({
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, maxLength: 9, description: "The file." },
        count: { type: "integer", minimum: 1, exclusiveMaximum: 10, description: "How many." },
        mode: { type: "string", enum: ["a", "b"], default: "a" },
        tags: { type: "array", items: { type: "string", format: "email" }, maxItems: 3 },
        pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
        map: { type: "object", additionalProperties: { type: "boolean" } },
        either: { anyOf: [{ const: "x" }, { type: "null" }] },
        maybe: { anyOf: [{ type: "string" }, { type: "null" }] },
        length: { type: "string" },
      },
      required: ["path", "tags", "pair", "map", "either", "maybe", "length"],
    });
    const input = { path: "a", tags: [], pair: ["a", 1], map: {}, either: "x", maybe: null, length: "four" };
    expect(parse(schema, input)).toEqual({ ok: true, value: { ...input, mode: "a", length: 4 } });
  });

  it("B07 recursive and discriminated schemas are converted, foreign types are refused by name", () => {
    type Tree = { name: string; kids: Tree[] };
    const tree: z.ZodType<Tree> = z.object({ name: z.string(), kids: z.array(z.lazy(() => tree)) });
    expect(toSchema(tree, "t").json).toMatchObject({
      properties: { kids: { items: { $ref: "#/$defs/lazy1" } } },
      $defs: { lazy1: { properties: { kids: { items: { $ref: "#/$defs/lazy1" } } } } },
    });
    const union = z.discriminatedUnion("do", [
      z.object({ do: z.literal("go") }).strict(),
      z.object({ do: z.literal("stop") }),
    ]);
    expect(toSchema(union, "t").json).toMatchObject({ anyOf: [{ additionalProperties: false }, {}] });
    expect(() => toSchema(z.object({ at: z.date() }), "tool T").json).toThrow(/tool T.*ZodDate/);
  });

  it("B07 a TypeScript enum lists its values, not the names that its numbers map back to", () => {
    expect(toSchema(z.object({ level: z.nativeEnum(Level) }), "t").json).toMatchObject({
      properties: { level: { enum: [1, 2] } },
    });
  });
});
