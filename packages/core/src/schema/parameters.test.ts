import Type from "typebox";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { asPath, type JsonSchema, lazySchema, type SchemaLike, toParameters, toPublicJson, toSchema } from "./index.ts";
import { undescribed } from "./parameters.ts";
import { pathFields } from "./path.ts";
import { withJsonSchema } from "./schema.ts";

const parameters = (source: SchemaLike): string => JSON.stringify(toParameters(toSchema(source, "tool T").json));

describe("toParameters", () => {
  it("B04 gives a clean copy of a Zod schema, and leaves the original", () => {
    const schema = toSchema(
      z.object({
        file_path: asPath(z.string().describe("The file.")),
        limit: z.number().int().min(1).optional().describe("Lines."),
        offset: z.number().int().optional(),
      }),
      "tool Read",
    );
    const before = JSON.stringify(schema.json);
    expect(JSON.stringify(toParameters(schema.json))).toBe(
      '{"type":"object","properties":{"file_path":{"type":"string","description":"The file."},' +
        '"limit":{"description":"Lines.","type":"integer","minimum":1},"offset":{"type":"integer"}},"required":["file_path"]}',
    );
    expect(JSON.stringify(schema.json)).toBe(before);
  });

  it("gives pointers for the names by which TypeBox refers", () => {
    const Tree = Type.Cyclic({ Node: Type.Object({ kids: Type.Array(Type.Ref("Node")) }) }, "Node");
    const node = '"required":["kids"],"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}';
    expect(parameters(Tree)).toBe(`{"type":"object",${node},"$defs":{"Node":{"type":"object",${node}}}}`);
  });

  it.each<[string, JsonSchema, string]>([
    ["no type", {}, '{"type":"object","properties":{}}'],
    [
      "capital types",
      { type: "OBJECT", properties: { a: { type: "STRING" } } },
      '{"type":"object","properties":{"a":{"type":"string"}}}',
    ],
    [
      "an empty enum",
      { properties: { a: { type: "string", enum: [] } } },
      '{"type":"object","properties":{"a":{"type":"string"}}}',
    ],
    [
      "a field named like a keyword",
      { properties: { $schema: {}, maximum: { default: 9007199254740991 }, format: { const: "path" } } },
      '{"type":"object","properties":{"$schema":{},"maximum":{"default":9007199254740991},"format":{"const":"path"}}}',
    ],
    [
      "an old pattern",
      { properties: { a: { pattern: "[\\w-.]" } } },
      '{"type":"object","properties":{"a":{"pattern":"[\\\\w-.]"}}}',
    ],
    ["a union", { anyOf: [{ type: "object" }] }, '{"type":"object","anyOf":[{"type":"object"}],"properties":{}}'],
  ])("%s", (_name, json, expected) => {
    expect(parameters(json)).toBe(expected);
    const once = toParameters(json);
    expect(JSON.stringify(toParameters(once))).toBe(JSON.stringify(once));
  });

  it("shares nothing with the original", () => {
    const json = { type: "object", properties: { a: { enum: ["x"] } } };
    const copy = toParameters(json) as typeof json;
    copy.properties.a.enum.push("y");
    expect(json.properties.a.enum).toEqual(["x"]);
  });
});

describe("undescribed", () => {
  it("names the root's fields that no description explains", () => {
    const json = {
      properties: {
        a: { description: "A." },
        b: { type: "string" },
        c: { $ref: "#/$defs/c" },
        d: { description: " " },
        kind: { const: "x" },
      },
      anyOf: [{ properties: { e: {} } }],
      $defs: { c: { description: "C." } },
    };
    expect(undescribed(json)).toEqual(["b", "d", "e"]);
    expect(undescribed(true as never)).toEqual([]);
  });
});

describe("paths", () => {
  it("are marked in every kind of schema, without touching the original", () => {
    const plain = { type: "string", description: "The file." } as const;
    expect(asPath(plain)).toEqual({ ...plain, format: "path" });
    expect(plain).not.toHaveProperty("format");
    const box = Type.Object({ from: Type.Optional(asPath(Type.String())), to: asPath(Type.String()) });
    expect(pathFields(toSchema(box, "t").json)).toEqual([["from"], ["to"]]);
    expect(box.required).toEqual(["to"]);
    const zod = z.object({ at: asPath(z.string().describe("Where.")).optional() });
    expect(toSchema(zod, "t").json).toMatchObject({ properties: { at: { format: "path", description: "Where." } } });
    expect(() => asPath({ type: "array" })).toThrow(/string/);
  });

  it("are found in lists, maps, unions and recursive schemas", () => {
    const path = { type: "string", format: "path" };
    const json = {
      type: "object",
      properties: {
        edits: { type: "array", items: { type: "object", properties: { file: path } } },
        any: { anyOf: [path, { type: "array", items: path }] },
        map: { type: "object", additionalProperties: path },
        tree: { $ref: "#/$defs/tree" },
        name: { type: "string" },
      },
      $defs: {
        tree: { type: "object", properties: { at: path, kids: { type: "array", items: { $ref: "#/$defs/tree" } } } },
      },
    };
    expect(pathFields(json)).toEqual([["edits", "*", "file"], ["any"], ["any", "*"], ["map", "*"], ["tree", "at"]]);
  });

  it("are marked for Haft alone: the Standard Schema interface gives plain JSON Schema", () => {
    const at = z.object({ at: asPath(z.string()), all: z.array(z.object({ at: asPath(z.string()) })) });
    const raw = { type: "object", properties: { format: { const: "path" }, at: { type: "string", format: "path" } } };
    for (const schema of [toSchema(at, "t"), toSchema(raw, "t"), lazySchema(() => raw), withJsonSchema(at, raw)]) {
      const { input, output } = schema["~standard"].jsonSchema;
      for (const json of [
        input({ target: "draft-2020-12" }),
        output({ target: "draft-07" }),
        toPublicJson(schema.json),
      ])
        expect(JSON.stringify(json)).not.toContain('"format":"path"');
      expect(pathFields(schema.json)).toContainEqual(["at"]);
    }
    expect(toPublicJson(raw)).toEqual({ ...raw, properties: { format: { const: "path" }, at: { type: "string" } } });
  });
});
