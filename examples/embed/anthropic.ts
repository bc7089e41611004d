// An agent with Anthropic's tool runner that reads, edits and runs commands. A function answers its approvals.
import type Anthropic from "@anthropic-ai/sdk";
import { createHaft } from "haft";
import { anthropicRunner } from "haft/anthropic-runner";
import type { Task } from "./task.ts";

export async function work(client: Anthropic, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const { content } = await client.beta.messages.toolRunner({
    model: "claude-sonnet-5-5",
    max_tokens: 8000,
    messages: [{ role: "user", content: prompt }],
    ...anthropicRunner(haft),
  });
  const answer = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (!(await keep(answer))) await haft.undo();
}
