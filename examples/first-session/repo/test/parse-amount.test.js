import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount } from "../src/parse-amount.js";

test("reads whole and broken amounts", () => {
  assert.equal(parseAmount("7"), 700);
  assert.equal(parseAmount(" 1,234.50 "), 123450);
});

test("refuses what is not an amount", () => {
  assert.throws(() => parseAmount("seven"), RangeError);
});
