import { parseAmount } from "./parse-amount.js";

/** Adds up the lines of a receipt. A line is a name, a tab and an amount. */
export function total(receipt) {
  return receipt
    .split("\n")
    .filter((line) => line.includes("\t"))
    .map((line) => parseAmount(line.split("\t")[1]))
    .reduce((sum, cents) => sum + cents, 0);
}

/** Writes cents as an amount with thousands marked: 123450 becomes "1,234.50". */
export function formatAmount(cents) {
  const sign = cents < 0 ? "-" : "";
  const [whole, rest] = (Math.abs(cents) / 100).toFixed(2).split(".");
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}
