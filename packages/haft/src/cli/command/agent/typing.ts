import type { Interface } from "node:readline";

/** The lines that a person types, and news that come while they do. */
export interface Typing {
  /** The next line; `undefined` when there are no more. */
  read(): Promise<string | undefined>;
  /** Shows text that comes by itself. What is being typed stands below it again. */
  tell(text: string): void;
}

export function typingOn(lines: Interface, write: (text: string) => void): Typing {
  const typed = lines[Symbol.asyncIterator]();
  let isReading = false;
  return {
    async read() {
      lines.prompt();
      isReading = true;
      const { done, value } = await typed.next();
      isReading = false;
      return done ? undefined : value;
    },
    tell(text) {
      write(isReading ? `\r\u001b[J${text}` : text);
      if (isReading) lines.prompt(true);
    },
  };
}
