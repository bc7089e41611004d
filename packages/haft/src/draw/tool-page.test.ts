import { expect, it } from "vitest";
import type { ToolInfo } from "./tool-info.ts";
import { drawToolList } from "./tool-page.ts";

const info = (name: string, description: string): ToolInfo => ({
  ...{ name, aliases: [], source: "mcp:all", group: "mcp", kind: "read", can: ["call", "ask"], description },
  ...{ inputSchema: {}, tokens: 50, offered: true },
});

it.each([80, 100, 140])("C17 tools stand in a line each that says what they are for, in %s columns", (width) => {
  const drawn = drawToolList(
    [
      info("mcp__all__trigger-long-running-operation", `Demonstrates ${"progress ".repeat(20)}`),
      info("Read", "Reads."),
    ],
    { color: false, width },
  ).split("\n");
  expect(drawn).toHaveLength(3);
  expect(drawn[1]).toMatch(/^mcp__all__trigger-long-running-operation .*Demonstrates progress.*…$/);
  expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(drawn[0]?.includes("kind")).toBe(width > 80);
});
