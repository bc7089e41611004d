import fc from "fast-check";
import { expect, it } from "vitest";
import { NAME_PATTERN } from "../tool/index.ts";
import { wireNames } from "./wire-names.ts";

it("D14 every name fits every provider, no two share one, and each maps back", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90, unit: "grapheme" })), (tools) => {
      const names = wireNames();
      const wires = tools.map((tool) => names.toWire(tool));
      expect(new Set(wires).size).toBe(tools.length);
      for (const [index, wire] of wires.entries()) {
        expect(wire).toMatch(NAME_PATTERN);
        expect(names.toTool(wire)).toBe(tools[index]);
        expect(names.toWire(tools[index]!)).toBe(wire);
      }
    }),
  );
});

it("D14 a real name that looks like another's shortened one does not take its place", () => {
  const long = `mcp__server__${"x".repeat(90)}`;
  const names = wireNames();
  const short = names.toWire(long);
  const rival = wireNames();
  expect(rival.toWire(short)).toBe(short);
  expect(rival.toWire(long)).not.toBe(short);
  expect(rival.toTool(rival.toWire(long))).toBe(long);
  expect(names.toTool("never_seen")).toBe("never_seen");
});
