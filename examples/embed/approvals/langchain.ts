// Interrupts of LangGraph: a call that needs an approval interrupts the graph, which a checkpoint keeps until the answer.
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createHaft } from "haft";
import { type LangchainQuestion, langchain } from "haft/langchain";
import type { ApprovedTask } from "./task.ts";

export async function work(llm: BaseChatModel, { cwd, prompt, approve }: ApprovedTask): Promise<string | undefined> {
  await using haft = await createHaft({ cwd, ask: "host" });
  const { tools } = langchain(haft, { tool, ToolMessage, interrupt });
  const agent = createReactAgent({ llm, tools, checkpointSaver: new MemorySaver() });
  const thread = { configurable: { thread_id: haft.session.id } };
  let state = await agent.invoke({ messages: [{ role: "user", content: prompt }] }, thread);
  while (isInterrupted<LangchainQuestion>(state)) {
    const { tool, input } = state.__interrupt__[0]!.value!;
    state = await agent.invoke(new Command({ resume: await approve(tool, input) }), thread);
  }
  return state.messages.at(-1)?.text;
}
