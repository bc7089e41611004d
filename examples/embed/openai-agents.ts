// An agent with OpenAI's Agents SDK that reads, edits and runs commands. A function answers its approvals.
import { Agent, type Model, run } from "@openai/agents";
import { createHaft } from "haft";
import { openaiAgents } from "haft/openai-agents";
import type { Task } from "./task.ts";

export async function work(model: Model, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const agent = new Agent({ name: "coder", model, ...openaiAgents(haft) });
  const { finalOutput } = await run(agent, prompt);
  if (!(await keep(finalOutput))) await haft.undo();
}
