import fc from "fast-check";
import { expect, it } from "vitest";
import { firstDifference, steadyText } from "./steady-text.ts";
import "../../../../test/support/seed.ts";

it("times, numbers of processes, temporary names and hashes are no difference", () => {
  const told = (second: number, pid: number, hash: string) =>
    `[main ${hash}] 2026-11-22T04:0${second}:11Z process ${pid} took 0.${second} s in /tmp/run-${pid}/out at 04:0${second}`;
  expect(firstDifference(told(1, 4711, "c3b30f7"), told(2, 99, "5b2df70"))).toBeUndefined();
  const listed = (day: string, epoch: string) => `-rw-r--r-- 1 me me 47 ${day} a.ts at ${epoch}`;
  expect(
    firstDifference(listed("Nov 22 07:51", "1795333914317749251"), listed("Jan  3  2027", "1798934400.123")),
  ).toBeUndefined();
  expect(firstDifference("sum 1500000000", "sum 1500000001")).toBeDefined();
  expect(firstDifference("a\nexit code 1\n", "a\nexit code 2\n")).toEqual({
    ...{ line: 2, recorded: "exit code 1", replayed: "exit code 2" },
  });
});

it("names that Haft makes anew each time are no difference, with any digits", () => {
  const names = [
    ["mwru3i8j-4b838f4ef7", "mwru4b2n-9d4cf69a02"],
    ["20261122-125005-u7yv", "20261122-124943-k0ca"],
    ["45c6f21e-989f-4fc8-91a1-bd2465ab200f", "932740bd-00fe-4f3b-8bf6-a33c8521db56"],
  ] as const;
  for (const [one, other] of names) expect(firstDifference(`held ${one}.`, `held ${other}.`)).toBeUndefined();
});

it("a text is no different from itself, a steady part stays so, and a line more is a difference", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      expect(firstDifference(text, text)).toBeUndefined();
      expect(steadyText(steadyText(text))).toBe(steadyText(text));
      expect(firstDifference(text, `${text}\nmore`)?.replayed).toBe("more");
    }),
  );
});
