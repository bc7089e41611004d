// Approvals of the AI SDK itself: a call that needs one ends the run with an approval request. The answer goes into the messages.
import { generateText, type LanguageModel, type ModelMessage } from "ai";
import { createHaft } from "haft";
import type { ApprovedTask } from "./task.ts";

export async function work(model: LanguageModel, { cwd, prompt, approve }: ApprovedTask): Promise<string> {
  await using haft = await createHaft({ cwd, ask: "host" });
  const messages: ModelMessage[] = [{ role: "user", content: prompt }];
  for (;;) {
    const { text, content, responseMessages } = await generateText({ model, messages, ...haft.for("ai-sdk") });
    messages.push(...responseMessages);
    const asked = content.filter((part) => part.type === "tool-approval-request");
    if (asked.length === 0) return text;
    for (const { approvalId, toolCall } of asked) {
      const approved = await approve(toolCall.toolName, toolCall.input);
      messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] });
    }
  }
}
