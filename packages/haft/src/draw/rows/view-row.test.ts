import { expect, it } from "vitest";
import { paint } from "../style.ts";
import { drawRow } from "./view-row.ts";

const plain = { color: false, width: 80 };
const moment = { now: 0, spinner: "*" };

it("E24 a pasted prompt of many lines, or of one long one, is shown by its start; the transcript has all of it", () => {
  const many = Array.from({ length: 24_000 }, (_, at) => `line ${at}`).join("\n");
  const row = { kind: "prompt", id: "p", text: many } as const;
  const shown = drawRow(row, plain, moment).split("\n");
  expect(shown.slice(0, 2)).toEqual(["❯ line 0", "  line 1"]);
  expect(shown).toHaveLength(21);
  expect(shown.at(-1)).toBe("  … 24,000 lines in all. Ctrl-O shows them.");
  expect(drawRow({ ...row, text: "x".repeat(1_000_000) }, plain, moment).length).toBeLessThan(4_000);
  expect(drawRow(row, plain, { ...moment, isWhole: true }).split("\n")).toHaveLength(24_000);
  const forty = many.split("\n").slice(0, 40).join("\n");
  expect(drawRow({ ...row, text: forty }, plain, moment).split("\n")).toHaveLength(40);
});

it("U09 yellow, green and cyan are darker where the background is light", () => {
  for (const ink of ["yellow", "green", "cyan"] as const) {
    const light = paint({ color: true, width: 80, theme: "light" }, ink, "word");
    expect(light).toContain("\u001b[38;5;");
    expect(light.endsWith("word\u001b[39m")).toBe(true);
    expect(paint({ color: true, width: 80, theme: "dark" }, ink, "word")).not.toBe(light);
  }
});
