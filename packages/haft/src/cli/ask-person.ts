import type { Answer, ApprovalRequest, Asker } from "@haft/core/approval";
import { drawQuestion } from "./draw/question.ts";
import type { Style } from "./draw/style.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** One line of a person's. `undefined`: they have gone. */
export type ReadAnswer = (prompt: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks a person at a terminal, one question after the other. */
export function personAsker(style: Style, tell: (text: string) => void, readAnswer: ReadAnswer): Asker {
  let queue: Promise<unknown> = Promise.resolve();

  async function put(request: ApprovalRequest, signal: AbortSignal): Promise<Answer | undefined> {
    if (signal.aborted) return undefined;
    tell(`${drawQuestion(request, style)}\n`);
    for (;;) {
      const typed = await readAnswer(`${choices(request)} `, signal);
      if (typed === undefined) return undefined;
      const answer = answerOf(typed, request);
      if (answer) return answer;
      tell("Please answer y or n; after n you may say what to do instead.\n");
    }
  }

  return (request, signal) => {
    const answer = queue.then(() => put(request, signal));
    queue = answer.catch(() => {});
    return answer;
  };
}

/** The capital is what Enter means: No for what cannot easily be taken back. */
export function choices({ destructive, suggestions }: ApprovalRequest): string {
  const words = [destructive ? "y" : "Y", destructive ? "N" : "n", ...(suggestions.length > 0 ? ["a"] : [])];
  return `Allow? [${words.join("/")}]`;
}

/** What a typed line means; `undefined` when it means nothing. */
export function answerOf(typed: string, { destructive, suggestions }: ApprovalRequest): Answer | undefined {
  const line = typed.trim();
  const [word = ""] = line.toLowerCase().split(/\s+/, 1);
  if (line === "") return { behavior: destructive ? "deny" : "allow" };
  if (line.toLowerCase() === "y" || line.toLowerCase() === "yes") return { behavior: "allow" };
  const [first] = suggestions;
  if (line.toLowerCase() === "a" && first) return { behavior: "allow", remember: first };
  if (word !== "n" && word !== "no") return undefined;
  const message = line.slice(word.length).trim();
  return message === "" ? { behavior: "deny" } : { behavior: "deny", message };
}

/** Who answers questions at this terminal; nobody when there is no terminal at either end. */
export const attendedAsker = ({ isAttended, newsStyle, tell }: Terminal): Asker | undefined =>
  isAttended ? personAsker(newsStyle, tell, terminalAnswer) : undefined;

/** Reads a line from this process's terminal. Ctrl-C at a question is the same as Ctrl-C anywhere. */
const terminalAnswer: ReadAnswer = async (prompt, signal) => {
  const { createInterface } = await import("node:readline");
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const end = (answer: string | undefined): void => {
      signal.removeEventListener("abort", onAbort);
      lines.close();
      resolve(answer);
    };
    const onAbort = (): void => end(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    lines.on("SIGINT", () => void process.kill(process.pid, "SIGINT"));
    lines.on("close", () => end(undefined));
    lines.question(prompt, end);
  });
};
