import type { CallEvent } from "@haft/core/executor";
import { expect, it } from "vitest";
import { eventRows } from "./progress-row.ts";
import { PLAIN } from "./style.ts";

const progress = (id: string, text: string, done: number): CallEvent =>
  ({
    type: "tool:execution:progress",
    call: { id, tool: "mcp__pal__copy" },
    progress: { display: { kind: "progress", text, done, total: 5 } },
  }) as unknown as CallEvent;

it("Q10 how far a remote call has come is told, of each call once a second, and nothing in it is obeyed", () => {
  let time = 0;
  const draw = eventRows(PLAIN, () => time);
  expect(draw(progress("c1", "step\u001b[2J one", 1))).toBe("  step␛[2J one (1 of 5)");
  expect(draw(progress("c1", "two", 2))).toBeUndefined();
  expect(draw(progress("c2", "other", 1))).toBe("  other (1 of 5)");
  time = 1_000;
  expect(draw(progress("c1", "three", 3))).toBe("  three (3 of 5)");
  time = 3_000;
  expect(draw(progress("c1", "three", 3))).toBeUndefined();
});
