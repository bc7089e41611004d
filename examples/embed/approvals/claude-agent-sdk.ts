// `canUseTool` of the Claude Agent SDK: it asks about a call before the SDK makes it.
import { type Options, query } from "@anthropic-ai/claude-agent-sdk";
import { createHaft } from "haft";
import { claudeAgentSdk } from "haft/claude-agent-sdk";
import type { ApprovedTask } from "./task.ts";

export async function work(options: Options, { cwd, prompt, approve }: ApprovedTask): Promise<string | undefined> {
  await using haft = await createHaft({ cwd, ask: "host" });
  const own = claudeAgentSdk(haft, { ask: ({ tool, input }) => approve(tool, input) });
  for await (const message of query({ prompt, options: { ...options, cwd, tools: [], ...own } }))
    if (message.type === "result" && message.subtype === "success") return message.result;
  return undefined;
}
