/** Receives the results of a line reader. */
interface LineListener {
  onLine(line: string): void;
  /** A line above the limit: its two ends, by which it may still be recognised. Its middle is dropped. */
  onOversize(ends: { readonly head: string; readonly tail: string; readonly bytes: number }): void;
}

/** Bytes of each end of an oversized line that are kept. */
const KEPT = 1024;

/**
 * Cuts a byte stream into lines. Stores at most `maxBytes` of a line, so that a program that never ends its line costs no memory. Later
 * lines are read as usual.
 */
export function lineReader(maxBytes: number, listener: LineListener): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let head: Buffer | undefined;

  function keep(piece: Buffer): void {
    bytes += piece.length;
    if (!head && bytes <= maxBytes) {
      pieces.push(piece);
      return;
    }
    const all = Buffer.concat([...pieces, piece]);
    head ??= Buffer.from(all.subarray(0, KEPT));
    pieces = [Buffer.from(all.subarray(-KEPT))];
  }

  function finish(): void {
    const rest = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    const [oversized, size] = [head, bytes];
    pieces = [];
    bytes = 0;
    head = undefined;
    if (oversized) listener.onOversize({ head: oversized.toString("utf8"), tail: rest.toString("utf8"), bytes: size });
    else if (size > 0) listener.onLine(rest.toString("utf8").replace(/\r$/, ""));
  }

  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      if (end > from) keep(chunk.subarray(from, end));
      finish();
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  };
}
