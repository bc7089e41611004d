import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { mcpBench, rough } from "../../test/support/mcp.ts";
import { cappedText, plainText } from "./plain-text.ts";

describe("definitions of remote tools", () => {
  it("B04 a good schema is kept to the letter; a bad one is repaired or drops its own tool, and is named", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("schemas"));
    await bench.manager.settled();
    const schemaOf = (name: string) => bench.machine.registry.get(`mcp__schemas__${name}`)?.tool.input.json;
    expect(schemaOf("fine")).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(schemaOf("none")).toEqual({ type: "object", properties: {} });
    expect(schemaOf("remote")).toEqual({ type: "object", properties: { a: {}, b: { type: "number" } } });
    expect(schemaOf("dangling")).toEqual({ type: "object", properties: { a: {} } });
    expect(schemaOf("cyclic")).toEqual({ type: "object", properties: { a: { $ref: "#" } } });
    expect(schemaOf("typo")).toEqual({ type: "object", properties: { a: {}, b: { type: "string" } } });
    expect(schemaOf("hidden")).toEqual({ type: "object", properties: { a: { type: "string", description: "ok" } } });
    expect(schemaOf("list")).toBeUndefined();
    expect(schemaOf("text")).toBeUndefined();
    const problems = bench.manager.list()[0]!.problems.join("\n");
    for (const name of ["none", "remote", "dangling", "typo", "list", "text", "hidden"])
      expect(problems).toContain(`"${name}"`);
    for (const name of ["fine", "cyclic"]) expect(problems).not.toContain(`"${name}"`);
    const invalid = await bench.call("mcp__schemas__fine", {});
    expect(invalid.result.error?.code).toBe("invalid_input");
    const nested = await bench.call("mcp__schemas__cyclic", { a: { a: {} } });
    expect(contentsText(nested.result.content)).toBe('{"a":{"a":{}}}');
  });

  it("B04 Q12 a schema that would take for ever to check stops nobody; it is shown whole, and its server checks", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("endlessSchemas"));
    await bench.manager.settled();
    const evil = `${"a".repeat(40)}!`;
    const names = bench.names().filter((name) => name.startsWith("mcp__endlessSchemas__"));
    expect(names).toHaveLength(7);
    for (const name of names) {
      const started = performance.now();
      const { result } = await bench.call(name, { path: evil, [evil]: 1 });
      expect(performance.now() - started, name).toBeLessThan(patience(1_000));
      expect(contentsText(result.content), name).toBe(JSON.stringify({ path: evil, [evil]: 1 }));
    }
    const { input } = bench.machine.registry.get("mcp__endlessSchemas__pattern")!.tool;
    expect(input.json).toMatchObject({ properties: { path: { pattern: "^(a+)+$" } } });
    // A fault that can be reported before the question is reported before it.
    const started = performance.now();
    const missing = await bench.call("mcp__endlessSchemas__pattern", { pat: evil });
    expect(missing.result.error).toMatchObject({ code: "invalid_input", message: expect.stringContaining("path") });
    expect(performance.now() - started).toBeLessThan(patience(1_000));
  });

  it("Q03 names that do not fit are offered under others, and reach the server as they were", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("names"));
    await bench.manager.settled();
    const names = bench.names();
    expect(names).toHaveLength(7);
    for (const name of names) expect(name).toMatch(/^mcp__names__[A-Za-z0-9_-]{1,52}$/);
    const dotted = names.filter((name) => name.startsWith("mcp__names__dots_and_slashes"));
    expect(dotted).toHaveLength(2);
    const reached = await Promise.all(
      dotted.map(async (name) => contentsText((await bench.call(name)).result.content)),
    );
    expect(reached.sort()).toEqual(["dots.and/slashes", "dots_and/slashes"]);
    const long = names.find((name) => name.includes("xxxx"))!;
    expect(contentsText((await bench.call(long)).result.content)).toBe("x".repeat(120));
    expect(bench.machine.registry.get("Bash")).toBeUndefined();
    const problems = bench.manager.list()[0]!.problems.join("\n");
    expect(problems).toContain('"plain" is listed twice');
    expect(problems).toContain("invisible characters");
    expect(problems).toContain("has no name");
    expect(problems).toContain("is not an object");
  });

  it("Q12 descriptions lose what nobody can see, and are cut", async () => {
    await using bench = mcpBench();
    bench.manager.add(rough("names"));
    await bench.manager.settled();
    const describe = (name: string) => bench.machine.registry.get(`mcp__names__${name}`)?.tool.description as string;
    expect(describe("painted")).toBe("red[31m and unseen");
    expect(describe("wordy")).toHaveLength(4_096 + " [cut]".length);
  });

  it("Q12 plain text keeps what people read, emoji and other scripts included", () => {
    for (const text of ["tab\tline\nend", "日本語 עברית", "naïve", "👍🏽 ❤️"]) expect(plainText(text)).toBe(text);
    expect(plainText("a\u200bb\u{e0041}c\u202ed\u0007e\ud800")).toBe("abcde\ufffd");
    expect(cappedText("  abcdef ", 3)).toBe("abc [cut]");
  });
});
