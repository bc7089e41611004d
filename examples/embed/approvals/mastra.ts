// Approvals of Mastra itself: a call that needs one suspends the run, which Mastra's storage keeps until the answer.
import { Agent, type AgentConfig } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createHaft } from "haft";
import { mastra } from "haft/mastra";
import type { ApprovedTask } from "./task.ts";

export async function work(model: AgentConfig["model"], { cwd, prompt, approve }: ApprovedTask): Promise<string> {
  await using haft = await createHaft({ cwd, ask: "host" });
  const coder = { id: "coder", name: "coder", instructions: "You write code.", model };
  const agents = { coder: new Agent({ ...coder, ...mastra(haft, { createTool }) }) };
  const agent = new Mastra({ agents, storage: new InMemoryStore(), logger: false }).getAgent("coder");
  let result = await agent.generate(prompt, { maxSteps: 20 });
  while (result.finishReason === "suspended") {
    const { toolCallId, toolName, args } = result.suspendPayload;
    const answer = { runId: result.runId!, toolCallId };
    const isYes = await approve(toolName, args);
    result = await (isYes ? agent.approveToolCallGenerate(answer) : agent.declineToolCallGenerate(answer));
  }
  return result.text;
}
