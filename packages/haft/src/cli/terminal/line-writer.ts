/** Writes lines in as few pieces as possible, and without delay: a pause in the input sends the buffered lines. */
export interface LineWriter {
  /** Resolves at once, or when the reader has caught up. */
  write(line: string): Promise<void>;
  /** Sends the rest and resolves when all is sent. */
  flush(): Promise<void>;
}

/** Characters after which a piece is sent without waiting for a pause. */
const PIECE = 65_536;

export function lineWriter(print: (text: string) => Promise<void>): LineWriter {
  let kept = "";
  let isSending = false;
  let sent: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (!isSending) sent = drain();
    return sent;
  }

  async function drain(): Promise<void> {
    isSending = true;
    while (kept !== "") {
      const text = kept;
      kept = "";
      await print(text);
    }
    isSending = false;
  }

  return {
    async write(line) {
      kept += `${line}\n`;
      if (kept.length >= PIECE) return send();
      timer ??= setTimeout(() => void send(), 1);
    },
    flush: send,
  };
}
