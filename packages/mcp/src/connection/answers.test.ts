import { expect, it } from "vitest";
import { createAnswers } from "./answers.ts";

const question = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};
const { signal } = new AbortController();

it("Q07 few questions of a server are open at once; when they are answered it may ask again", async () => {
  const open: (() => void)[] = [];
  const answers = createAnswers({
    name: "eager",
    roots: [],
    maySample: false,
    onQuestion: () => ({ call: "c1", signal: new AbortController().signal, end: () => {} }),
    elicit: (_server, _question, _signal, call) =>
      new Promise((resolve) => open.push(() => resolve({ action: "accept", content: { call: call ?? "" } }))),
  });
  const ends = Array.from({ length: 100 }, () =>
    answers.answer(question, signal).catch((error: Error) => error.message),
  );
  await expect.poll(() => open.length).toBe(8);
  for (const answer of open) answer();
  const said = await Promise.all(ends);
  expect(said.slice(0, 8)).toEqual(Array(8).fill({ action: "accept", content: { call: "c1" } }));
  expect(new Set(said.slice(8))).toEqual(new Set([expect.stringContaining("8 of its questions are already waiting")]));
  const next = answers.answer(question, signal);
  await expect.poll(() => open.length).toBe(9);
  open[8]!();
  expect(await next).toMatchObject({ action: "accept" });
});
