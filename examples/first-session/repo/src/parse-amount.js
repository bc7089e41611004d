/** Reads an amount such as "1,234.50" and returns cents. */
export function parseAmount(text) {
  const plain = text.trim().replace(",", "");
  if (!/^-?\d+(\.\d{1,2})?$/.test(plain)) throw new RangeError(`not an amount: ${text}`);
  return Math.round(Number(plain) * 100);
}
