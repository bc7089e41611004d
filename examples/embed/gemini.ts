// An agent with Google's Gen AI SDK that reads, edits and runs commands. A function answers its approvals.
import type { GoogleGenAI } from "@google/genai";
import { createHaft } from "haft";
import type { Task } from "./task.ts";

export async function work(client: GoogleGenAI, { cwd, prompt, ask, keep }: Task) {
  await using haft = await createHaft({ cwd, ask });
  const gemini = haft.for("gemini");
  const chat = client.chats.create({ model: "gemini-3-pro" });
  let answer = await chat.sendMessage({ message: prompt, config: { tools: gemini.tools } });
  for (let results = await gemini.run(answer); results; results = await gemini.run(answer))
    answer = await chat.sendMessage({ message: results.parts, config: { tools: gemini.tools } });
  if (!(await keep(answer.text))) await haft.undo();
}
