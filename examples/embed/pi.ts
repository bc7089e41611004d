// An agent with pi that reads, edits and runs commands. A function answers its approvals.
import { Agent, type AgentOptions } from "@mariozechner/pi-agent-core";
import { createHaft } from "haft";
import { pi } from "haft/pi";
import type { Task } from "./task.ts";

export async function work({ initialState, ...options }: AgentOptions, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const agent = new Agent({ ...options, initialState: { ...initialState, ...pi(haft) } });
  await agent.prompt(prompt);
  const answer = agent.state.messages.at(-1);
  const parts = answer?.role === "assistant" ? answer.content : [];
  if (!(await keep(parts.map((part) => (part.type === "text" ? part.text : "")).join("")))) await haft.undo();
}
