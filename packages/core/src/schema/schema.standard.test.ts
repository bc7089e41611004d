import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { explainIssues } from "./explain.ts";
import { lazySchema, parse, type Schema, type SchemaLike, toSchema } from "./index.ts";
import { isSchema, withJsonSchema } from "./schema.ts";

describe("toSchema with a Standard Schema", () => {
  it("B01 descriptions, optional fields, defaults and enums of Zod reach the JSON Schema", () => {
    const schema = toSchema(
      z.object({
        file_path: z.string().describe("The file to read."),
        limit: z.number().int().positive().optional().describe("Lines at most."),
        mode: z.enum(["text", "hex"]).default("text").describe("How to show it."),
      }),
      "tool Read",
    );
    expect(schema.json).toMatchObject({
      type: "object",
      properties: {
        file_path: { type: "string", description: "The file to read." },
        limit: { type: "integer", exclusiveMinimum: 0, description: "Lines at most." },
        mode: { enum: ["text", "hex"], default: "text", description: "How to show it." },
      },
      required: ["file_path"],
    });
    expect(schema.json.properties).not.toHaveProperty("limit.maximum");
  });

  it("B07 Zod's own validator gives the parsed value: defaults, transforms and unknown keys as Zod treats them", () => {
    const schema = toSchema(
      z.object({ name: z.string().transform((name) => name.length), mode: z.string().default("x") }),
      "tool T",
    );
    expect(parse(schema, { name: "four", extra: 1 })).toEqual({ ok: true, value: { name: 4, mode: "x" } });
  });

  it("B07 an asynchronous validator is answered with a promise", async () => {
    const schema = toSchema(z.object({ name: z.string().refine(async (name) => name !== "taken") }), "tool T");
    expect(await parse(schema, { name: "free" })).toEqual({ ok: true, value: { name: "free" } });
    expect(await parse(schema, { name: "taken" })).toMatchObject({ ok: false, issues: [{ path: ["name"] }] });
  });

  it("converts once, at the first need, and gives other drafts from the author's own converter", () => {
    let conversions = 0;
    const source = z.object({ a: z.string() });
    const counted = {
      "~standard": {
        ...source["~standard"],
        jsonSchema: {
          ...source["~standard"].jsonSchema,
          input: (options: { target: string }) => {
            conversions++;
            return source["~standard"].jsonSchema.input(options);
          },
        },
      },
    } as unknown as SchemaLike;
    const schema = toSchema(counted, "tool T");
    expect(conversions).toBe(0);
    expect(schema.json).toBe(schema.json);
    expect(conversions).toBe(1);
    expect(schema["~standard"].jsonSchema.input({ target: "draft-07" })).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
    });
  });

  it("returns one of ours as it is, and calls no foreign schema ours", () => {
    const schema = toSchema(z.object({}), "tool T");
    expect(toSchema(schema, "tool U")).toBe(schema);
    expect(isSchema(schema)).toBe(true);
    for (const foreign of [z.object({}), { type: "object" }, null, undefined, "x"])
      expect(isSchema(foreign)).toBe(false);
  });

  it("refuses a schema that cannot say itself as JSON Schema, and names the cure", () => {
    const attempt = () => toSchema(mini.object({ a: mini.string() }) as SchemaLike, "tool T");
    expect(attempt).toThrow(/zod schema of tool T does not support JSON Schema/);
    expect(thrownBy(attempt)).toMatchObject({
      code: "validation_failed",
      hint: expect.stringMatching(/withJsonSchema/),
    });
    // By this brand the floors above know an expected failure.
    expect(Object(thrownBy(attempt))[Symbol.for("haft.HaftError")]).toBe(true);
    const paired = withJsonSchema(mini.object({ a: mini.string() }), {
      type: "object",
      properties: { a: { type: "string" } },
    });
    expect(parse(paired, { a: "x" })).toEqual({ ok: true, value: { a: "x" } });
    expect(parse(paired, { a: 1 })).toMatchObject({ ok: false, issues: [{ path: ["a"] }] });
  });

  it("refuses types that JSON does not have, and a root that is no object", () => {
    const dated = toSchema(z.object({ at: z.date() }), "tool T");
    expect(() => dated.json).toThrow(/tool T cannot be expressed as JSON Schema.*Date/);
    expect(() => toSchema(z.string(), "tool T").json).toThrow(/not objects/);
    expect(toSchema(z.string(), "output of tool T", { root: "any" }).json).toMatchObject({ type: "string" });
  });

  it("B08 an enum that is built at run time works, an empty one does not crash", () => {
    const skills = ["commit", "review"];
    const some = toSchema(z.object({ skill: z.enum(skills) }), "tool Skill");
    expect(some.json).toMatchObject({ properties: { skill: { enum: skills } } });
    const none = toSchema(z.object({ skill: z.enum([]) }), "tool Skill");
    expect(none.json).toMatchObject({ type: "object", required: ["skill"] });
    const result = parse(none, { skill: "x" });
    expect(result).toMatchObject({ ok: false });
    const plain = toSchema({ type: "object", properties: { skill: { type: "string", enum: [] } } }, "tool Skill");
    expect(parse(plain, { skill: "x" })).toEqual({ ok: true, value: { skill: "x" } });
  });
});

describe("lazySchema", () => {
  it("B06 the schema is made once, at its first use", () => {
    let made = 0;
    const lazy = lazySchema(() => {
      made++;
      return z.object({ a: z.string().default("x") });
    }, "tool T");
    expect(toSchema(lazy, "tool T")).toBe(lazy);
    expect(isSchema(lazy)).toBe(true);
    expect(made).toBe(0);
    expect(parse(lazy, {})).toEqual({ ok: true, value: { a: "x" } });
    expect(lazy.json).toMatchObject({ type: "object" });
    expect(lazy["~standard"].jsonSchema.input({ target: "draft-07" })).toMatchObject({ type: "object" });
    expect(made).toBe(1);
  });

  it("B06 it may speak of what is not there yet, as modules that import each other do", () => {
    const first = lazySchema(() => later());
    const later = () => second;
    const second = lazySchema(() => ({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }));
    expect(parse<unknown>(first, { n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect(parse<unknown>(first, {})).toMatchObject({ ok: false });
  });

  it("B06 a failure to make it is not remembered", () => {
    let ready = false;
    const lazy = lazySchema(() => {
      if (!ready) throw new Error("not yet");
      return z.object({});
    });
    expect(() => lazy.json).toThrow("not yet");
    ready = true;
    expect(lazy.json).toMatchObject({ type: "object" });
  });
});

describe("mixed kinds", () => {
  it("B07 every validator reports the same fault in the same words", async () => {
    const { z: z3 } = await import("zod/v3");
    const { default: Type } = await import("typebox");
    const kinds: Record<string, Schema> = {
      zod4: toSchema(z.strictObject({ file_path: z.string(), limit: z.number().optional() }), "t"),
      zod3: toSchema(z3.object({ file_path: z3.string(), limit: z3.number().optional() }).strict(), "t"),
      typebox: toSchema(
        Type.Object({ file_path: Type.String(), limit: Type.Optional(Type.Number()) }, { additionalProperties: false }),
        "t",
      ),
      json: toSchema(
        {
          type: "object",
          properties: { file_path: { type: "string" }, limit: { type: "number" } },
          required: ["file_path"],
          additionalProperties: false,
        },
        "t",
      ),
    };
    const input = { filePath: "a", limit: "ten" };
    for (const [kind, schema] of Object.entries(kinds)) {
      expect(await parse(schema, { file_path: "a" }), kind).toEqual({ ok: true, value: { file_path: "a" } });
      const result = await parse(schema, input);
      const lines = result.ok ? [] : explainIssues(result.issues, input, schema.json, "").split("\n").sort();
      expect(lines, kind).toEqual([
        "filePath: unknown field; did you mean file_path?",
        "file_path: required, but missing.",
        'limit: expected number, received string "ten".',
      ]);
    }
  });
});

function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("nothing was thrown");
}
