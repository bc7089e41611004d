// An agent with Mastra that reads, edits and runs commands. A function answers its approvals.
import { Agent, type AgentConfig } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createHaft } from "haft";
import { mastra } from "haft/mastra";
import type { Task } from "./task.ts";

export async function work(model: AgentConfig["model"], { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const coder = { id: "coder", name: "coder", instructions: "You write code.", model };
  const agent = new Agent({ ...coder, ...mastra(haft, { createTool }) });
  const { text } = await agent.generate(prompt, { maxSteps: 20 });
  if (!(await keep(text))) await haft.undo();
}
