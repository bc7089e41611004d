import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { geminiProblems, sampleOf, strictProblems } from "../../../test/support/schema-dialects.ts";
import { asPath, type JsonSchema, parse, toSchema } from "../index.ts";
import { isRecord, mapOf, someSchema } from "../json/walk.ts";
import { flatRoot } from "./flat-root.ts";
import { toGeminiParameters } from "./gemini.ts";
import { withoutNulls } from "./nullable.ts";
import { toOpenAiParameters } from "./openai.ts";

/** The input schemas of 20 public MCP servers, as their `tools/list` gave them. */
const servers: Record<string, Record<string, JsonSchema>> = JSON.parse(
  gunzipSync(readFileSync(new URL("../../../test/cases/mcp-schemas.json.gz", import.meta.url))).toString("utf8"),
);
const schemas = Object.entries(servers).flatMap(([server, tools]) =>
  Object.entries(tools).map(([name, json]) => ({ name: `${server}/${name}`, json })),
);

const fits = async (json: JsonSchema, value: unknown): Promise<boolean> =>
  (await parse(toSchema(json, "a test"), value)).ok;

/** The value as a model in strict mode writes it: null for every field that is missing. */
const deepNulls = (json: JsonSchema, value: unknown): unknown => {
  const { items } = json;
  if (Array.isArray(value) && isRecord(items)) return value.map((item) => deepNulls(items, item));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(mapOf(json, "properties")).map(([name, child]) => [
      name,
      name in value && isRecord(child) ? deepNulls(child, value[name]) : null,
    ]),
  );
};

it("B09 272 schemas of real MCP servers become parameters that OpenAI takes, strict where nothing is lost", async () => {
  expect(schemas).toHaveLength(272);
  let strict = 0;
  for (const { name, json } of schemas) {
    const converted = toOpenAiParameters(json);
    expect(
      someSchema(converted.parameters, ({ format }) => format === "path"),
      name,
    ).toBe(false);
    expect(Object.keys(converted.parameters), name).not.toContain("anyOf");
    const sample = sampleOf(json, json);
    expect(await fits(json, sample), `${name}: ${JSON.stringify(sample)}`).toBe(true);
    if (!converted.strict) {
      expect(await fits(converted.parameters, sample), name).toBe(true);
      continue;
    }
    strict += 1;
    expect(strictProblems(converted.parameters), name).toEqual([]);
    const filled = deepNulls(converted.parameters, sample);
    expect(await fits(converted.parameters, filled), `${name}: ${JSON.stringify(filled)}`).toBe(true);
    expect(await fits(json, withoutNulls(json, filled)), name).toBe(true);
  }
  expect(strict).toBeGreaterThan(200);
});

it("B09 D03 272 schemas of real MCP servers become parameters in Gemini's subset, and no valid input is lost", async () => {
  for (const { name, json } of schemas) {
    const parameters = toGeminiParameters(json);
    expect(geminiProblems(parameters), name).toEqual([]);
    expect(await fits(parameters, sampleOf(json, json)), name).toBe(true);
  }
});

it("B09 strict mode: closed objects, all fields required, an optional field nullable, refused words in the description", () => {
  const json = {
    type: "object",
    properties: {
      path: asPath({ type: "string", description: "A path." }),
      limit: { type: "integer", minimum: 1, default: 20 },
      way: { enum: ["up", "down"] },
      note: { type: "string", maxLength: 9, pattern: "(?=a)b" },
    },
    required: ["path"],
  };
  expect(toOpenAiParameters(json)).toEqual({
    strict: true,
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "A path." },
        limit: { type: ["integer", "null"], minimum: 1, description: "Default: 20." },
        way: { type: ["string", "null"], enum: ["up", "down", null] },
        note: { type: ["string", "null"], description: 'Longest length: 9. Pattern: "(?=a)b".' },
      },
      required: ["path", "limit", "way", "note"],
      additionalProperties: false,
    },
  });
});

it("B09 a schema that strict mode would narrow is sent as it is, not strict", () => {
  const map = { type: "object", properties: { env: { type: "object", additionalProperties: { type: "string" } } } };
  expect(toOpenAiParameters(map)).toEqual({ strict: false, parameters: map });
  for (const loose of [{}, true, { type: "array" }, { type: "object" }])
    expect(toOpenAiParameters({ type: "object", properties: { loose } }).strict).toBe(false);
  expect(toOpenAiParameters({ type: "object", properties: {} }, false).strict).toBe(false);
});

it("B09 a union at the root becomes one list of fields", () => {
  const branch = (action: string, more: object, required: string[]) => ({
    type: "object",
    properties: { action: { const: action }, ...more },
    required: ["action", ...required],
    additionalProperties: false,
  });
  const json = {
    type: "object",
    properties: {},
    oneOf: [branch("click", { x: { type: "number" } }, ["x"]), branch("type", { text: { type: "string" } }, [])],
  };
  expect(flatRoot(json)).toEqual({
    type: "object",
    properties: {
      action: { type: "string", enum: ["click", "type"] },
      x: { type: "number" },
      text: { type: "string" },
    },
    required: ["action"],
    additionalProperties: false,
  });
});

it("D03 Gemini: constants become enums, other types unions, references stand alone", () => {
  const json = {
    type: "object",
    properties: {
      kind: { const: "a" },
      size: { type: ["string", "integer", "null"], description: "A size." },
      next: { $ref: "#/definitions/node", description: "The next." },
      at: { type: "string", format: "email" },
    },
    definitions: { node: { type: "object", properties: { on: { type: "boolean", const: true } } } },
  };
  expect(toGeminiParameters(json)).toEqual({
    type: "object",
    properties: {
      kind: { type: "string", enum: ["a"] },
      size: { description: "A size.", anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
      next: { anyOf: [{ $ref: "#/$defs/node" }], description: "The next." },
      at: { type: "string", description: 'Format: "email".' },
    },
    $defs: { node: { type: "object", properties: { on: { type: "boolean", description: "One of: true." } } } },
  });
});

it("B09 a null stays where it is a value, and goes where it stands for a missing field", () => {
  const json = {
    type: "object",
    properties: {
      a: { type: "string" },
      b: { type: ["string", "null"] },
      c: { type: "array", items: { type: "object", properties: { d: { type: "number" }, e: {} } } },
      must: { type: "string" },
    },
    required: ["must"],
  };
  expect(withoutNulls(json, { a: null, b: null, c: [{ d: null, e: null }], must: null, other: null })).toEqual({
    b: null,
    c: [{ e: null }],
    must: null,
    other: null,
  });
});
