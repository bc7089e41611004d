// An agent with the AI SDK (version 7) that reads, edits and runs commands. A function answers its approvals.
import { generateText, type LanguageModel } from "ai";
import { createHaft } from "haft";
import type { Task } from "./task.ts";

export async function work(model: LanguageModel, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const { text } = await generateText({ model, prompt, ...haft.for("ai-sdk") });
  if (!(await keep(text))) await haft.undo();
}
