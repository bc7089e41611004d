import fc from "fast-check";
import Type from "typebox";
import { describe, expect, it } from "vitest";
import { type JsonSchema, parse, toSchema } from "./index.ts";

const accepts = (json: JsonSchema, input: unknown): boolean => parseNow(json, input).ok;

/** Thrice: what is walked at first and compiled later must say the same. */
function parseNow(json: JsonSchema, input: unknown) {
  const schema = toSchema(json, "tool T");
  const [result, ...later] = [1, 2, 3].map(() => parse(schema, input));
  if (!result || result instanceof Promise) throw new Error("a JSON Schema must answer at once");
  for (const again of later) expect(again).toEqual(result);
  return result;
}

describe("toSchema with JSON Schema", () => {
  it("B03 a plain JSON Schema validates without further code", () => {
    const json = {
      type: "object",
      properties: { input: { type: "string", description: "Input text" } },
      required: ["input"],
    } as const;
    expect(parseNow(json, { input: "x" })).toEqual({ ok: true, value: { input: "x" } });
    expect(parseNow(json, { input: 1 })).toMatchObject({ ok: false, issues: [{ path: ["input"] }] });
    expect(parseNow(json, {})).toMatchObject({ ok: false, issues: [{ path: ["input"] }] });
    expect(accepts(json, "x")).toBe(false);
    expect(accepts(json, null)).toBe(false);
  });

  it("B03 a Gemini function declaration with capital type names is held to its types", () => {
    const json = { type: "OBJECT", properties: { n: { type: "INTEGER" } }, required: ["n"] };
    expect(accepts(json, { n: 1 })).toBe(true);
    expect(accepts(json, { n: "1" })).toBe(false);
  });

  it("B04 the author's very object is kept, byte for byte", () => {
    const json = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { z: { type: "integer", maximum: Number.MAX_SAFE_INTEGER, pattern: "[\\w-.]" }, a: { enum: [] } },
      "x-own": { any: "thing" },
    };
    const before = JSON.stringify(json);
    const schema = toSchema(json, "tool T");
    parse(schema, { z: 1 });
    expect(schema.json).toBe(json);
    expect(JSON.stringify(schema.json)).toBe(before);
    expect(JSON.stringify(schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }))).toBe(before);
    expect(() => schema["~standard"].jsonSchema.input({ target: "openapi-3.0" })).toThrow(
      /tool T is not available as openapi-3.0/,
    );
  });

  it("B04 references into the schema's own parts work in both drafts", () => {
    for (const keyword of ["$defs", "definitions"]) {
      const json = {
        type: "object",
        properties: { at: { $ref: `#/${keyword}/point` } },
        [keyword]: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      };
      expect(accepts(json, { at: { x: 1 } })).toBe(true);
      expect(accepts(json, { at: { x: "1" } })).toBe(false);
    }
  });

  it("B04 a recursive schema follows its input and ends with it", () => {
    const json = {
      type: "object",
      properties: { value: { type: "string" }, kids: { type: "array", items: { $ref: "#" } } },
      required: ["value"],
    };
    expect(accepts(json, { value: "a", kids: [{ value: "b", kids: [] }] })).toBe(true);
    expect(parseNow(json, { value: "a", kids: [{ kids: [] }] })).toMatchObject({
      issues: [{ path: ["kids", 0, "value"] }],
    });
    let deep: object = { value: "x" };
    for (let depth = 0; depth < 100_000; depth++) deep = { value: "x", kids: [deep] };
    expect(parseNow(json, deep)).toMatchObject({ ok: false, issues: [{ message: "nested too deeply" }] });
  });

  it("B04 older drafts: tuples by `items`, dependencies, and patterns without the u flag", () => {
    const json = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
        id: { type: "string", pattern: "^[\\w-.]+$" },
      },
      dependencies: { pair: ["id"] },
    };
    expect(accepts(json, { pair: ["a", 1], id: "a-b.c" })).toBe(true);
    expect(accepts(json, { pair: ["a", 1, 2], id: "a" })).toBe(false);
    expect(accepts(json, { pair: ["a", 1] })).toBe(false);
    expect(accepts(json, { id: "a b" })).toBe(false);
  });

  it("B04 hostile names and values in a schema stay data in the compiled validator", () => {
    const hostile = '"]);throw new Error("owned");(["';
    const json = {
      type: "object",
      properties: {
        [hostile]: { const: hostile },
        e: { enum: [hostile, "\u2028`$(1)`"] },
        ["__proto__"]: { type: "string" },
      },
      required: [hostile],
    };
    expect(accepts(json, { [hostile]: hostile, e: "\u2028`$(1)`" })).toBe(true);
    expect(accepts(json, { [hostile]: "other" })).toBe(false);
  });

  it("a path is a plain string for the validator", () => {
    expect(accepts({ type: "object", properties: { p: { type: "string", format: "path" } } }, { p: "../a b" })).toBe(
      true,
    );
  });

  it("unknown keys stay unless the schema forbids them", () => {
    expect(parseNow({ type: "object" }, { extra: 1 })).toEqual({ ok: true, value: { extra: 1 } });
    expect(parseNow({ type: "object", additionalProperties: false }, { extra: 1 })).toEqual({
      ok: false,
      issues: [{ path: ["extra"], message: "unknown field" }],
    });
  });

  it("reads the schema when it first validates, and no more once it is used often", () => {
    let reads = 0;
    const json = {
      type: "object",
      get minProperties() {
        reads++;
        return 0;
      },
    };
    const schema = toSchema(json, "tool T");
    const before = reads;
    parse(schema, {});
    expect(reads).toBeGreaterThan(before);
    for (let use = 0; use < 5; use++) parse(schema, {});
    const compiled = reads;
    parse(schema, {});
    expect(reads).toBe(compiled);
  });

  it("any JSON is answered with a value or with issues, and is never changed", () => {
    const json = {
      type: "object",
      properties: {
        a: { type: "number", default: 1 },
        b: { type: "array", items: { type: "object", properties: { c: { default: [] } } } },
      },
    };
    const schema = toSchema(json, "tool T");
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            { a: fc.jsonValue(), b: fc.array(fc.dictionary(fc.constant("d"), fc.jsonValue())) },
            { requiredKeys: [] },
          ),
        ),
        (input) => {
          const before = JSON.stringify(input);
          const result = parse(schema, input);
          expect(result).toHaveProperty("ok");
          expect(JSON.stringify(input)).toBe(before);
        },
      ),
    );
  });
});

describe("toSchema with TypeBox", () => {
  it("B02 the seed's Read schema works as it stands", () => {
    const ReadToolSchema = Type.Object({
      file_path: Type.String({ description: "文件路径" }),
      offset: Type.Optional(Type.Number()),
      limit: Type.Optional(Type.Number()),
    });
    const schema = toSchema(ReadToolSchema, "tool read");
    expect(schema.json).toBe(ReadToolSchema);
    expect(JSON.parse(JSON.stringify(schema.json))).toEqual({
      type: "object",
      properties: {
        file_path: { type: "string", description: "文件路径" },
        offset: { type: "number" },
        limit: { type: "number" },
      },
      required: ["file_path"],
    });
    expect(parse(schema, { file_path: "a", limit: 2 })).toEqual({ ok: true, value: { file_path: "a", limit: 2 } });
    expect(parse(schema, { file_path: "a", limit: "2" })).toMatchObject({ ok: false, issues: [{ path: ["limit"] }] });
  });

  it("B07 TypeBox refinements hold and its decoders give the parsed value", () => {
    const schema = toSchema(
      Type.Object({
        even: Type.Refine(
          Type.Number(),
          (n) => n % 2 === 0,
          () => "must be even",
        ),
        at: Type.Codec(Type.String())
          .Decode((text) => text.length)
          .Encode((length) => "x".repeat(length)),
      }),
      "tool T",
    );
    const input = { even: 2, at: "four" };
    expect(parse(schema, input)).toEqual({ ok: true, value: { even: 2, at: 4 } });
    expect(input).toEqual({ even: 2, at: "four" });
    expect(parse(schema, { even: 3, at: "x" })).toEqual({
      ok: false,
      issues: [{ path: ["even"], message: "must be even" }],
    });
  });

  it("B02 a recursive TypeBox type works", () => {
    const Tree = Type.Cyclic(
      { Node: Type.Object({ name: Type.String(), kids: Type.Array(Type.Ref("Node")) }) },
      "Node",
    );
    const schema = toSchema(Tree, "tool T");
    expect(parse(schema, { name: "a", kids: [{ name: "b", kids: [] }] })).toMatchObject({ ok: true });
    expect(parse(schema, { name: "a", kids: [{ name: 1, kids: [] }] })).toMatchObject({
      issues: [{ path: ["kids", 0, "name"] }],
    });
  });

  it("B03 any value is answered alike by a schema that was used once and by one that was used often", () => {
    const json = {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, pattern: "^[a-z/]*$" },
        at: { anyOf: [{ type: "integer", minimum: 0 }, { $ref: "#/$defs/range" }] },
        tags: { type: "array", items: { enum: ["a", "b", 1, null] }, maxItems: 2, uniqueItems: true },
      },
      required: ["path"],
      additionalProperties: false,
      $defs: { range: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false } },
    };
    const at = fc.oneof(fc.integer(), fc.double(), fc.array(fc.oneof(fc.double(), fc.string()), { maxLength: 3 }));
    const tags = fc.array(fc.constantFrom("a", "b", "c", 1, null), { maxLength: 3 });
    const near = fc.record({ path: fc.string(), at, tags, more: fc.anything() }, { requiredKeys: [] });
    fc.assert(fc.property(fc.oneof(near, fc.anything()), (input) => void parseNow(json, input)));
  });
});
