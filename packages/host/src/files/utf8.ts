/** Bytes of the well-formed UTF-8 sequence that begins at `at`, or 0. The table is 3-7 of the Unicode standard. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const [lead = 0, second = 0] = [bytes[at], bytes[at + 1]];
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0) return 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let index = 2; index < length; index++) if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** Whether bytes with invalid UTF-8 are mostly UTF-8: they have multi-byte characters, at least as many as stray bytes. */
export function isDamagedUtf8(bytes: Uint8Array): boolean {
  let [wide, stray] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 1) wide += 1;
    if (length === 0) stray += 1;
    at += length || 1;
  }
  return stray > 0 && wide >= stray;
}
