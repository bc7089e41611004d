// An agent with the Claude Agent SDK that reads, edits and runs commands with Haft's tools, in place of Claude's own. A
// function answers its approvals.
import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { createHaft } from "haft";
import { claudeAgentSdk } from "haft/claude-agent-sdk";
import type { Task } from "./task.ts";

export async function work(options: Options, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  let answer = "";
  for await (const message of query({ prompt, options: { ...options, cwd, tools: [], ...claudeAgentSdk(haft) } }))
    if (message.type === "result" && message.subtype === "success") answer = message.result;
  if (!(await keep(answer))) await haft.undo();
}
