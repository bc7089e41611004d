import type { Interface } from "node:readline";
import type { ReadAnswer } from "../../approval/ask-person.ts";

/** The lines that a person types, and what is shown meanwhile: nothing pushes between a question and its answer. */
export interface Typing {
  /** The next line; `undefined` when there are no more. */
  read(): Promise<string | undefined>;
  /** The answer to a question. An abort takes the question back. */
  readonly ask: ReadAnswer;
  /** Shows text that comes by itself. What is being typed stands below it again; while a question stands it waits. */
  tell(text: string): void;
}

export function typingOn(lines: Interface, write: (text: string) => void): Typing {
  const typed = lines[Symbol.asyncIterator]();
  let isReading = false;
  let isAsking = false;
  let waiting = "";

  const release = (): void => {
    isAsking = false;
    write(waiting);
    waiting = "";
  };

  return {
    async read() {
      lines.prompt();
      isReading = true;
      const { done, value } = await typed.next();
      isReading = false;
      return done ? undefined : value;
    },
    ask: (prompt, signal) =>
      new Promise((resolve) => {
        const end = (answer?: string): void => {
          lines.off("close", gone);
          signal.removeEventListener("abort", gone);
          release();
          resolve(answer);
        };
        const gone = (): void => end();
        lines.once("close", gone);
        signal.addEventListener("abort", gone, { once: true });
        isAsking = true;
        lines.question(prompt, { signal }, end);
      }),
    tell(text) {
      if (isAsking) {
        waiting += text;
        return;
      }
      write(isReading ? `\r\u001b[J${text}` : text);
      if (isReading) lines.prompt(true);
    },
  };
}
