import { expect, it } from "vitest";
import { UsageError } from "./exit-code.ts";
import { readOptions } from "./options.ts";
import { wantsPrint } from "./wants-print.ts";

const read = (...args: string[]) => readOptions(args, { all: "boolean", jsonl: "string" }, 2);

function refusal(...args: string[]): string {
  try {
    read(...args);
  } catch (thrown) {
    if (thrown instanceof UsageError) return `${thrown.message} ${thrown.hint}`;
    throw thrown;
  }
  throw new Error(`${args.join(" ")} was accepted`);
}

it("reads words, common options and a command's own", () => {
  const { common, own, words } = read(
    "Read",
    "{}",
    "--deny",
    "Bash",
    "--deny",
    "Write",
    "--json",
    "--all",
    "--jsonl",
    "-",
    "--cwd",
    "/w",
  );
  expect(words).toEqual(["Read", "{}"]);
  expect(own).toEqual({ all: true, jsonl: "-" });
  expect(common).toMatchObject({ cwd: "/w", deny: ["Bash", "Write"], allow: [], json: true, trust: false });
});

it("names the nearest to an option that nobody knows", () => {
  expect(refusal("--jsn")).toBe("Unknown option --jsn. Did you mean --json?");
  expect(refusal("--no-user-setings")).toContain("--no-user-settings");
  expect(refusal("-x")).toContain("Unknown option -x");
});

it("refuses a missing value and a word too many", () => {
  expect(refusal("--deny")).toContain("--deny");
  expect(refusal("a", "b", "c")).toContain('"c"');
  expect(read("--dialect", "gemini").common.dialect).toBe("gemini");
});

it("E16 print mode is asked for as hosts of the Claude Agent SDK do, by options before the --", () => {
  for (const args of [
    ["-p", "x"],
    ["x", "--print"],
    ["--output-format", "stream-json"],
    ["--input-format=stream-json"],
  ])
    expect(wantsPrint(args)).toBe(true);
  for (const args of [["--model", "x"], ["--", "-p"], []]) expect(wantsPrint(args)).toBe(false);
});
