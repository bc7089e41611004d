import fc from "fast-check";
import JSON5 from "json5";
import { expect, it } from "vitest";
import { withAllowRules } from "./rule-text.ts";

const added = (text: string): unknown => JSON5.parse(withAllowRules(text, ["Bash(npm test *)"])).permissions.allow;

it.each<[string, string]>([
  ["", '{\n  "permissions": { "allow": ["Bash(npm test *)"] }\n}\n'],
  ["{}\n", '{\n  "permissions": { "allow": ["Bash(npm test *)"] }\n}\n'],
  [
    '{\n  // mine\n  "model": "a/b", // last\n}\n',
    '{\n  // mine\n  "model": "a/b",\n  "permissions": { "allow": ["Bash(npm test *)"] } // last\n}\n',
  ],
  ["{ permissions: { allow: [] } }", '{ permissions: { allow: ["Bash(npm test *)"] } }'],
  ["{ permissions: { allow: ['Read'] } }", "{ permissions: { allow: ['Read', \"Bash(npm test *)\"] } }"],
  [
    '{\n  permissions: {\n    deny: ["x"],\n    allow: [\n      "Read", /* why */\n    ]\n  }\n}',
    '{\n  permissions: {\n    deny: ["x"],\n    allow: [\n      "Read",\n      "Bash(npm test *)" /* why */\n    ]\n  }\n}',
  ],
])("F20 %j keeps everything that was written, and has the rule", (text, expected) => {
  expect(withAllowRules(text, ["Bash(npm test *)"])).toBe(expected);
});

it("F20 a rule that is there already changes nothing, and a text that is no JSON5 is left alone", () => {
  const text = "{permissions:{allow:['Read']}} // end";
  expect(withAllowRules(text, ["Read"])).toBe(text);
  expect(() => withAllowRules("{permissions:", ["Read"])).toThrow();
  // A second "permissions" would hide the first one.
  expect(() => withAllowRules("{permissions: 1}", ["Read"])).toThrow(/without rewriting/);
});

/** JSON5 texts with comments, either quote, trailing commas and odd spaces. */
const gap = fc.constantFrom("", " ", "\n", "\n  ", "/* a, ] } */", "// [ {\n", "\t");
const key = fc.constantFrom("permissions", "allow", "deny", "model", "a b", "x,y", "__a");
const { value } = fc.letrec<{ value: string; list: string; object: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    fc.integer().map(String),
    fc.constantFrom("null", "true", "'it\\'s'", '"[{"', "0xF"),
    fc.string().map((text) => JSON.stringify(text)),
  ),
  list: fc
    .tuple(fc.array(fc.tuple(gap, tie("value"), gap)), gap, fc.boolean())
    .map(
      ([items, end, comma]) =>
        `[${items.map((item) => item.join("")).join(",")}${comma && items.length ? "," : ""}${end}]`,
    ),
  object: fc
    .tuple(fc.uniqueArray(fc.tuple(key, gap, tie("value"), gap), { selector: ([name]) => name }), gap, fc.boolean())
    .map(
      ([items, end, comma]) =>
        `{${items.map(([name, before, item, after]) => `${before}${JSON.stringify(name)}${before}:${after}${item}${after}`).join(",")}${comma && items.length ? "," : ""}${end}}`,
    ),
  value: fc.oneof({ maxDepth: 3 }, tie("leaf"), tie("list"), tie("object")),
}));
const settings = fc
  .tuple(
    gap,
    fc.array(
      fc.tuple(
        gap,
        fc.string().map((text) => JSON.stringify(text)),
        gap,
      ),
    ),
    value,
    gap,
    fc.boolean(),
  )
  .map(
    ([a, rules, other, b, comma]) =>
      `${a}{${b}other: ${other},${a}permissions: {${b}"allow": [${rules.map((rule) => rule.join("")).join(",")}${comma && rules.length ? "," : ""}${a}]${b}},${a}}${b}`,
  );

it("F20 the rule is added to any text, and every other value and comment stays", () => {
  fc.assert(
    fc.property(settings, (text) => {
      const before = JSON5.parse(text);
      const after = withAllowRules(text, ["Bash(npm test *)"]);
      expect(JSON5.parse(after)).toEqual({
        ...before,
        permissions: { allow: [...before.permissions.allow, "Bash(npm test *)"] },
      });
      for (const comment of ["/* a, ] } */", "// [ {"])
        expect(after.split(comment).length).toBe(text.split(comment).length);
    }),
  );
});

it("F20 a permissions object without a list gets one", () => {
  expect(added('{ permissions: { deny: ["a"] } }')).toEqual(["Bash(npm test *)"]);
  expect(added("{ permissions: {\n  deny: [],\n} }")).toEqual(["Bash(npm test *)"]);
});
