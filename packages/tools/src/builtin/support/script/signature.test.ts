import { expect, it } from "vitest";
import { signatureOf } from "./signature.ts";

const text = { type: "string" };

it.each([
  ["Ls", { type: "object", properties: {} }, "Ls({})"],
  [
    "Read",
    { type: "object", properties: { file_path: text, offset: { type: "integer" } }, required: ["file_path"] },
    "Read({ file_path: string, offset?: number })",
  ],
  ["mcp__a-b__c", { type: "object" }, '["mcp__a-b__c"]({})'],
  ["T", { properties: { mode: { enum: ["a", "b"] }, one: { const: 1 } } }, 'T({ mode?: "a" | "b", one?: 1 })'],
  [
    "T",
    { properties: { list: { type: "array", items: { type: "object", properties: { a: text } } } } },
    "T({ list?: { a?: string }[] })",
  ],
  [
    "T",
    { properties: { any: {}, or: { anyOf: [text, { type: "null" }] } } },
    "T({ any?: unknown, or?: string | null })",
  ],
  [
    "T",
    { properties: { a: { type: "object", properties: { b: { type: "object", properties: { c: text } } } } } },
    "T({ a?: { b?: object } })",
  ],
])("L06 the type of %s", (name, input, expected) => {
  expect(signatureOf(name, input as never)).toBe(expected);
});
