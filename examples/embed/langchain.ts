// An agent with LangGraph that reads, edits and runs commands. A function answers its approvals.
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createHaft } from "haft";
import { langchain } from "haft/langchain";
import type { Task } from "./task.ts";

export async function work(llm: BaseChatModel, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const agent = createReactAgent({ llm, ...langchain(haft, { tool, ToolMessage }) });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] });
  if (!(await keep(messages.at(-1)?.text))) await haft.undo();
}
