import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paramHeaderProblem } from "./param-headers.ts";

const schema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    where: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
    query: { type: "string" },
  },
};
const wrap = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("arguments in headers", () => {
  it.each<[object, Record<string, string>, string | undefined]>([
    [{ region: "eu" }, { "mcp-param-region": "eu" }, undefined],
    [{ region: "eu" }, { "mcp-param-region": "  eu " }, undefined],
    [{ region: "eu" }, { "mcp-param-region": "us" }, "differ"],
    [{ region: "eu" }, {}, "absent"],
    [{ region: null }, {}, undefined],
    [{ query: "x" }, { "mcp-param-region": "us" }, undefined],
    [{ count: 42 }, { "mcp-param-count": "42.0" }, undefined],
    [{ count: 42 }, { "mcp-param-count": "43" }, "differ"],
    [{ where: { city: "Köln" } }, { "mcp-param-city": wrap("Köln") }, undefined],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" }, "Base64"],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?!!!?=" }, "Base64"],
    [{ region: "eu" }, { "mcp-param-region": "=?base64?/w==?=" }, "Base64"],
  ])("Q13 %j with %j: %s", (args, headers, problem) => {
    const found = paramHeaderProblem(schema, args, headers);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });

  it("Q13 law: a header in Base64 matches the argument that it encodes, and no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (region, other) => {
        expect(paramHeaderProblem(schema, { region }, { "mcp-param-region": wrap(region) })).toBeUndefined();
        const isSame = paramHeaderProblem(schema, { region }, { "mcp-param-region": wrap(other) }) === undefined;
        expect(isSame).toBe(region === other);
      }),
    );
  });

  it("Q13 no arguments of any kind make it fail", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.dictionary(fc.constantFrom("mcp-param-region", "mcp-param-count"), fc.string()),
        (args, headers) => {
          paramHeaderProblem(schema, args, headers);
        },
      ),
    );
  });
});
