import { describe, expect, it } from "vitest";
import { toSchema } from "../index.ts";

describe("audit", () => {
  const holding = (field: unknown) => ({ type: "object", properties: { field } });

  it.each([
    [
      "a remote reference",
      holding({ $ref: "https://example.com/s.json" }),
      /"https:\/\/example.com\/s.json".*\/properties\/field/,
    ],
    ["a reference to nothing", holding({ $ref: "#/$defs/none" }), /does not exist in this schema/],
    [
      "references in a circle",
      { ...holding({ $ref: "#/$defs/a" }), $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      /does not exist in this schema/,
    ],
    ["a root that refers to itself", { $ref: "#" }, /does not exist in this schema/],
    ["an unknown type", holding({ type: "text" }), /unknown type "text" at \/properties\/field/],
    ["a pattern that is none", holding({ type: "string", pattern: "(" }), /not a regular expression/],
    ["a field that is no schema", holding("string"), /not a schema at \/properties\/field/],
    ["properties as a list", { type: "object", properties: [] }, /"properties" that is not an object/],
    ["an enum that is no list", holding({ enum: "a" }), /"enum" that is not a list/],
    ["required that is no list", { type: "object", required: "a" }, /"required"/],
    ["a string at its root", { type: "string" }, /not objects/],
    ["a union with a string at its root", { anyOf: [{ type: "object" }, { type: "string" }] }, /not objects/],
    ["a list", [], /no usable schema/],
    ["true", true, /no usable schema \(boolean\)/],
    ["nothing", undefined, /no usable schema \(undefined\)/],
  ])("B04 %s is refused with its place and a cure", (_name, json, message) => {
    expect(() => toSchema(json as never, "tool T")).toThrow(message);
    try {
      toSchema(json as never, "tool T");
    } catch (error) {
      expect(error).toMatchObject({
        code: "validation_failed",
        message: expect.stringContaining("tool T"),
        hint: expect.stringMatching(/\w+/),
      });
    }
  });

  it("B04 an object that contains itself, or is absurdly deep, is refused instead of hanging", () => {
    const circular: Record<string, unknown> = { type: "object" };
    circular.properties = { again: circular };
    expect(() => toSchema(circular, "tool T")).toThrow(/contains itself/);
    let deep: object = { type: "string" };
    for (let depth = 0; depth < 10_000; depth++) deep = { type: "object", properties: { a: deep } };
    expect(() => toSchema(deep as never, "tool T")).toThrow(/more than 200 deep/);
  });

  it.each([
    ["an empty schema", {}],
    ["a root without type", { properties: { a: { type: "string" } } }],
    ["a nullable object", { type: ["object", "null"] }],
    ["a union of objects", { anyOf: [{ type: "object" }, { properties: {} }] }],
    ["a root by reference", { $ref: "#/$defs/r", $defs: { r: { type: "object" } } }],
    ["boolean schemas inside", { type: "object", properties: { a: true, b: false } }],
    ["a boolean `required` of draft 3", { type: "object", properties: { a: { type: "string", required: true } } }],
  ])("%s is a tool input, and takes nothing but objects", async (_name, json) => {
    const validate = toSchema(json as never, "tool T")["~standard"].validate;
    expect(await validate({})).toEqual({ value: {} });
    for (const other of [null, "x", 1, []]) expect(await validate(other)).toHaveProperty("issues.0");
  });
});
