import type { Answer, ApprovalRequest, Asker } from "@haft/core/approval";
import { drawQuestion } from "../../draw/question.ts";
import { visible } from "../../draw/sanitize.ts";
import { type Style, wrapped } from "../../draw/style.ts";
import { choiceOf, keyLines, promptOf } from "../../terminal/approval/choice.ts";
import { editablePart } from "../../terminal/approval/editable.ts";
import { type OpenEditor, openEditor } from "../../terminal/approval/editor.ts";
import { type Filled, fillForm } from "../../terminal/approval/fill-form.ts";
import { arrival } from "../terminal/arrival.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Reads one line from a person. `undefined`: they have left. */
export type ReadAnswer = (prompt: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks a person at a terminal, one question at a time. `forget` drops input typed before the question was visible. */
export function personAsker(
  style: Style,
  tell: (text: string) => void,
  readAnswer: ReadAnswer,
  edit: OpenEditor = openEditor,
  forget: () => Promise<void> = async () => {},
): Asker {
  let queue: Promise<unknown> = Promise.resolve();

  async function put(request: ApprovalRequest, signal: AbortSignal): Promise<Answer | undefined> {
    if (signal.aborted) return undefined;
    const keys = wrapped(keyLines(request).join("\n"), style.width);
    tell(`${[drawQuestion(request, style), ...(keys === "" ? [] : [keys])].join("\n")}\n`);
    await forget();
    for (;;) {
      const typed = await readAnswer(`${promptOf(request)} `, signal);
      if (typed === undefined) return undefined;
      const choice = choiceOf(typed, request);
      if (choice?.kind === "answer") return filledIn(request, choice.answer, signal);
      const answer = choice?.kind === "edit" ? await edited(request) : undefined;
      if (answer) return answer;
      if (!choice) tell("Please answer y or n, or one of the keys; after n you can say what to do instead.\n");
    }
  }

  /** A person who accepts a form is asked for its fields. */
  async function filledIn(request: ApprovalRequest, answer: Answer, signal: AbortSignal): Promise<Answer | undefined> {
    const { form, input } = request;
    if (!form || answer.behavior === "deny") return answer;
    const read = (prompt: string) => readAnswer(prompt, signal);
    const filled = await fillForm(form, input as Filled, { read, tell });
    if (filled === undefined) return undefined;
    return filled === "no" ? { behavior: "deny" } : { behavior: "allow", input: filled };
  }

  /** A changed call is a new one: it is checked, decided and, if needed, shown and asked about again. */
  async function edited(request: ApprovalRequest): Promise<Answer | undefined> {
    const part = editablePart(request);
    if (!part) return undefined;
    const result = await edit(part);
    if ("text" in result) return { behavior: "allow", input: part.apply(result.text), review: true };
    tell(`${visible(result.why)} Nothing has run.\n`);
    return undefined;
  }

  return (request, signal) => {
    const answer = queue.then(() => put(request, signal));
    queue = answer.catch(() => {});
    return answer;
  };
}

/** Asks the person at this terminal. */
export const terminalAsker = ({ newsStyle, tell }: Pick<Terminal, "newsStyle" | "tell">): Asker =>
  personAsker(newsStyle, tell, terminalAnswer, openEditor, forgetTyped);

/** An Enter typed before the question must not answer it. Ctrl-C still works. */
async function forgetTyped(): Promise<void> {
  const { stdin } = process;
  const drop = (typed: Buffer): void => void (typed.includes(CTRL_C) && process.kill(process.pid, "SIGINT"));
  // The terminal keeps lines until they are read; in raw mode it returns pending input.
  stdin.setRawMode(true);
  stdin.on("data", drop).resume();
  await arrival();
  stdin.off("data", drop).pause();
  stdin.setRawMode(false);
}

const CTRL_C = 3;

/** Reads a line from this process's terminal. Ctrl-C at a question works as Ctrl-C elsewhere. */
const terminalAnswer: ReadAnswer = async (prompt, signal) => {
  const { createInterface } = await import("node:readline");
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const end = (answer: string | undefined): void => {
      signal.removeEventListener("abort", onAbort);
      // Resolve first: closing emits "close" at once, which would otherwise be the answer.
      resolve(answer);
      lines.close();
    };
    const onAbort = (): void => end(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    lines.on("SIGINT", () => void process.kill(process.pid, "SIGINT"));
    lines.on("close", () => end(undefined));
    lines.question(prompt, end);
  });
};
