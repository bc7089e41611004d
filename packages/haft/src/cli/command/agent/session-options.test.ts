import { expect, it } from "vitest";
import { sessionOptions, spelledOut } from "./session-options.ts";

it.each([
  [["-c"], ["--continue"]],
  [["-r"], ["--resume="]],
  [
    ["-r", "20261123-200000-ab12", "go on"],
    ["--resume=20261123-200000-ab12", "go on"],
  ],
  [["--resume", "last"], ["--resume=last"]],
  [["-r", "nightly.build_2"], ["--resume=nightly.build_2"]],
  [["-r", "@über/1!"], ["--resume=@über/1!"]],
  [
    ["-r", "--fork"],
    ["--resume=", "--fork"],
  ],
  [
    ["-r", "fix the tests"],
    ["--resume=", "fix the tests"],
  ],
  [
    ["--", "-c"],
    ["--", "-c"],
  ],
])("E24 %j is %j", (args, words) => expect(spelledOut(args)).toEqual(words));

it("E24 options of a conversation are checked", () => {
  expect(sessionOptions({ continue: true, fork: true, "max-turns": "3", "max-cost": "0.5" })).toMatchObject({
    ...{ resume: "last", fork: true, maxTurns: 3 },
    budget: { money: 0.5 },
  });
  for (const wish of [{ "max-turns": "1.5" }, { "max-cost": "-1" }, { "max-cost": "" }, { "max-turns": "0" }])
    expect(() => sessionOptions(wish)).toThrow(/is not a valid number/);
  expect(() => sessionOptions({ fork: true })).toThrow(/needs a session/);
});
