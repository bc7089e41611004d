// An agent with OpenAI's Responses API that reads, edits and runs commands. A function answers its approvals.
import { createHaft } from "haft";
import type OpenAI from "openai";
import type { Task } from "./task.ts";

export async function work(client: OpenAI, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const openai = haft.for("openai");
  const model = "gpt-5";
  let response = await client.responses.create({ model, tools: openai.tools, input: prompt });
  for (let input = await openai.run(response); input.length > 0; input = await openai.run(response)) {
    const previous_response_id = response.id;
    response = await client.responses.create({ model, tools: openai.tools, input, previous_response_id });
  }
  if (!(await keep(response.output_text))) await haft.undo();
}
