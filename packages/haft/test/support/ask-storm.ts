import type { Answer, ApprovalRequest } from "@haft/core/approval";
import fc from "fast-check";
import "../../../../test/support/seed.ts";
import { agentSession, promptOf, treeModel, turn } from "./agents.ts";
import type { sessionPlaces } from "./session-places.ts";

/**
 * Agents that ask at the same time, answered in a random order, each answer with a comment that names who asked for what.
 * Counts asks that never came, and comments that came to another agent or call.
 */
export async function askStorm(places: ReturnType<typeof sessionPlaces>, rounds: number) {
  const counted = { lost: 0, crossed: 0, rounds: 0 };
  const waiting: { request: ApprovalRequest; answer: (answer: Answer) => void }[] = [];
  const files = (name: string, at: number) => ["a", "b"].map((part) => `${name}-${at}-${part}.txt`);
  const model = treeModel({
    W(request, at) {
      const [, name = "", count = "0"] = promptOf(request).split(" ");
      const results = request.messages.flatMap((message) => (message.role === "results" ? [message.results] : []));
      for (const [turnAt, list] of results.entries())
        for (const [index, { content }] of list.entries())
          if (!JSON.stringify(content).includes(`for ${name} about ${files(name, turnAt)[index]}`)) counted.crossed++;
      if (at >= Number(count)) return "Done.";
      return turn(...files(name, at).map((file_path) => ["Write", { file_path, content: "x" }] as const));
    },
  });
  const { haft } = await agentSession(places, model, {
    // Copies of the workspace would cost much, and change nothing about questions.
    settings: { toolAgent: { maxAgents: rounds * 3, isolation: "none" } },
    ask: (request) => new Promise<Answer>((answer) => void waiting.push({ request, answer })),
  });
  const run = async (counts: readonly number[], choices: fc.Stream<number>) => {
    const round = counted.rounds++;
    let over = false;
    const names = counts.map((_, index) => `r${round}n${index}`);
    const all = Promise.all(
      counts.map((count, index) =>
        haft.agents!.start({
          type: "general",
          prompt: `W ${names[index]} ${count}`,
          description: "x",
          name: names[index]!,
        }),
      ),
    ).then(() => {
      over = true;
    });
    let answered = 0;
    while (!over) {
      const [pick = 0] = choices.take(1);
      const [chosen] = waiting.splice(pick % Math.max(1, waiting.length), 1);
      if (chosen) {
        const { agent, input } = chosen.request;
        const file = String((input as { file_path: string }).file_path)
          .split("/")
          .at(-1);
        if (agent.name !== file?.split("-")[0]) counted.crossed++;
        answered++;
        chosen.answer({ behavior: "deny", message: `for ${agent.name} about ${file}` });
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    counted.lost += counts.reduce((sum, count) => sum + count * 2, 0) - answered + waiting.length;
  };
  const counts = fc.array(fc.nat(2), { minLength: 1, maxLength: 3 });
  await fc.assert(fc.asyncProperty(counts, fc.infiniteStream(fc.nat(20)), run), { numRuns: rounds });
  return counted;
}
