import { expect, it } from "vitest";
import { pressesOf } from "./key-press.ts";

it("E24 two Escapes that arrive together are two keys", () => {
  const once = { input: "", key: { escape: true } };
  expect(pressesOf({ input: "", key: { escape: true, meta: true } })).toEqual([once, once]);
  expect(pressesOf(once)).toEqual([once]);
});
