import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonSchema, parse, toSchema } from "../index.ts";

const parsed = (json: JsonSchema, input: unknown) => parse(toSchema(json, "tool T"), input);

describe("defaults", () => {
  it("B07 are filled at every level, and the input stays as it was", () => {
    const json = {
      type: "object",
      properties: {
        mode: { type: "string", default: "fast" },
        options: {
          type: "object",
          properties: { depth: { type: "integer", default: 3 } },
          default: {},
        },
        list: { type: "array", items: { type: "object", properties: { on: { type: "boolean", default: true } } } },
      },
      required: ["mode"],
    };
    const input = Object.freeze({ list: Object.freeze([Object.freeze({}), Object.freeze({ on: false })]) });
    expect(parsed(json, input)).toEqual({
      ok: true,
      value: { mode: "fast", options: { depth: 3 }, list: [{ on: true }, { on: false }] },
    });
    expect(input).toEqual({ list: [{}, { on: false }] });
    expect(json.properties.options.default).toEqual({});
  });

  it("B07 reach through references, unions, maps and recursive schemas", () => {
    const json = {
      type: "object",
      properties: {
        by: { $ref: "#/$defs/sort" },
        shape: {
          oneOf: [
            { type: "object", properties: { kind: { const: "a" }, size: { default: 1 } }, required: ["kind"] },
            { type: "object", properties: { kind: { const: "b" }, size: { default: 2 } }, required: ["kind"] },
          ],
        },
        map: { type: "object", additionalProperties: { type: "object", properties: { n: { default: 0 } } } },
        tree: { $ref: "#/$defs/tree" },
      },
      $defs: {
        sort: { type: "string", default: "name" },
        tree: {
          type: "object",
          properties: { open: { default: false }, kids: { type: "array", items: { $ref: "#/$defs/tree" } } },
        },
      },
    };
    expect(parsed(json, { shape: { kind: "b" }, map: { x: {} }, tree: { kids: [{ kids: [] }] } })).toEqual({
      ok: true,
      value: {
        by: "name",
        shape: { kind: "b", size: 2 },
        map: { x: { n: 0 } },
        tree: { open: false, kids: [{ open: false, kids: [] }] },
      },
    });
  });

  it("B07 each call gets its own copy of a default", () => {
    const schema = toSchema<{ list: number[] }>(
      { type: "object", properties: { list: { type: "array", default: [] } } } as JsonSchema,
      "tool T",
    );
    const first = parse(schema, {});
    if (first instanceof Promise || !first.ok) throw new Error("must fit");
    first.value.list.push(1);
    expect(parse(schema, {})).toEqual({ ok: true, value: { list: [] } });
  });

  it("B07 a default that does not fit is refused like any other value", () => {
    const json = { type: "object", properties: { n: { type: "number", default: "many" } } };
    expect(parsed(json, {})).toMatchObject({ ok: false, issues: [{ path: ["n"] }] });
  });

  it("a given value is never replaced, and an input that lacks nothing is passed on itself", () => {
    const json = { type: "object", properties: { a: { default: 1 }, b: { default: "x" } } };
    fc.assert(
      fc.property(fc.record({ a: fc.jsonValue(), b: fc.jsonValue() }), (input) => {
        const result = parsed(json, input);
        expect(result instanceof Promise || !result.ok ? undefined : result.value).toBe(input);
      }),
    );
  });
});
