import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";

// Commands with which agents look at projects of many languages, servers, archives, binaries and documents. They were collected
// without regard to the programs that Haft knows. Some of them only look, although that cannot be shown.
const listed = (name: string): string[] =>
  readFileSync(new URL(`../test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.replaceAll("␤", "\n"));
const asked = (commands: readonly string[]) => commands.filter((command) => classifyCommand(command) !== "allow");

describe("commands from many fields", () => {
  it("G01 usual ones that only look go through without a question", () => {
    const usual = listed("broad-usual");
    expect(usual.length).toBeGreaterThan(1_000);
    expect(asked(usual).length / usual.length).toBeLessThan(0.015);
  });

  it("G01 so do most of the unusual ones", { tags: ["smoke"] }, () => {
    const unusual = listed("broad-unusual");
    expect(unusual.length).toBeGreaterThan(950);
    expect(asked(unusual).length / unusual.length).toBeLessThan(0.09);
  });

  it("G03 a command of the same programs that changes, fetches or obeys the folder is asked about", () => {
    const changing = listed("broad-asked");
    expect(changing.length).toBeGreaterThan(300);
    expect(changing.filter((command) => classifyCommand(command) === "allow")).toEqual([]);
  });
});
