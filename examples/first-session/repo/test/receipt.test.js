import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAmount, total } from "../src/receipt.js";

test("adds up a receipt", () => {
  assert.equal(formatAmount(total("bread\t3.20\nhouse\t1,250,000.00\n")), "1,250,003.20");
});

test("an empty receipt is nothing", () => {
  assert.equal(formatAmount(total("")), "0.00");
});
