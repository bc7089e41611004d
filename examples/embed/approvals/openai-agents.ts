// Approvals of OpenAI's Agents SDK itself: a call that needs one interrupts the run.
import { Agent, type Model, run } from "@openai/agents";
import { createHaft } from "haft";
import { openaiAgents } from "haft/openai-agents";
import type { ApprovedTask } from "./task.ts";

export async function work(model: Model, { cwd, prompt, approve }: ApprovedTask): Promise<string | undefined> {
  await using haft = await createHaft({ cwd, ask: "host" });
  const agent = new Agent({ name: "coder", model, ...openaiAgents(haft) });
  let result = await run(agent, prompt);
  while (result.interruptions.length > 0) {
    for (const item of result.interruptions)
      if (await approve(item.name ?? "", JSON.parse(item.arguments ?? "{}"))) result.state.approve(item);
      else result.state.reject(item);
    result = await run(agent, result.state);
  }
  return result.finalOutput;
}
