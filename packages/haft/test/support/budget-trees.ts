import fc from "fast-check";
import "../../../../test/support/seed.ts";
import { agentSession, promptOf, treeModel, turn } from "./agents.ts";
import { says } from "./scripted-model.ts";
import type { sessionPlaces } from "./session-places.ts";

interface Tree {
  readonly budget: Readonly<Record<string, number | undefined>>;
  readonly calls: number;
  readonly below: readonly Tree[];
}

const few = (max: number) => fc.option(fc.nat(max), { nil: undefined });
const budget = fc.record({ tokens: few(60_000), calls: few(6), spawns: few(4), money: few(40) });
const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    budget,
    calls: fc.nat(3),
    below: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("tree"), { maxLength: 2 })),
  }) as fc.Arbitrary<Tree>,
})).tree;

/**
 * Lets random trees of agents work, each with a random budget, against a model that uses all that it may. Gives every agent
 * whose whole tree has spent more than its budget.
 */
export async function budgetTrees(places: ReturnType<typeof sessionPlaces>, count: number) {
  const found = { trees: 0, over: [] as string[], spent: 0 };
  const used = new Map<string, { tokens: number; money: number }>();
  const plans = new Map<string, Tree>();
  const price = { input: 100, output: 1_000 };
  const spentBy = (id: string) => {
    const known = used.get(id) ?? { tokens: 0, money: 0 };
    used.set(id, known);
    return known;
  };
  const model = treeModel({
    T(request, at) {
      const [, id = ""] = promptOf(request).split(" ");
      const plan = plans.get(id)!;
      const own = spentBy(id);
      // A provider that counts as many tokens as there are letters by three, and answers as long as it may.
      const inputTokens = Math.floor(JSON.stringify([request.system, request.messages]).length / 3);
      const outputTokens = Math.min(request.maxOutputTokens ?? 500, 2_000);
      own.tokens += inputTokens + outputTokens;
      own.money += (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
      const usage = { type: "finish" as const, reason: "calls" as const, usage: { inputTokens, outputTokens } };
      if (at > 0 || request.tools.length === 0) return [...says("Done.").slice(0, -1), { ...usage, reason: "stop" }];
      const below = plan.below.map((next, index) => {
        const lower = `${id}-${index}`;
        plans.set(lower, next);
        return ["Agent", { description: "x", prompt: `T ${lower} .`, ...next.budget }] as const;
      });
      const lists = Array.from({ length: plan.calls }, () => ["Ls", {}] as const);
      return [...turn(...lists, ...below).slice(0, -1), usage];
    },
  });
  const { haft } = await agentSession(places, model, {
    settings: { toolAgent: { maxAgents: 1_000_000, prices: { "test/scripted": price } } },
  });
  await fc.assert(
    fc.asyncProperty(tree, async (plan) => {
      const root = `r${found.trees++}`;
      plans.set(root, plan);
      const before = haft.agents!.list().length;
      await haft
        .agents!.start({ type: "general", description: root, prompt: `T ${root} .`, budget: defined(plan.budget) })
        .catch(() => {});
      const agents = haft.agents!.list().slice(before);
      const top = agents[0];
      if (!top) return;
      const spent = [...used].filter(([id]) => id === root || id.startsWith(`${root}-`));
      const sum = (of: "tokens" | "money") => spent.reduce((total, [, one]) => total + one[of], 0);
      const ran = agents.reduce((total, { calls, failedCalls }) => total + calls - failedCalls, 0);
      const totals = { tokens: sum("tokens"), money: sum("money"), calls: ran, spawns: agents.length - 1 };
      found.spent += totals.tokens;
      for (const [means, limit] of Object.entries(plan.budget))
        if (limit !== undefined && totals[means as keyof typeof totals] > limit + 1e-9)
          found.over.push(`${root}: ${means} ${totals[means as keyof typeof totals]} of ${limit}`);
      // The same for every agent below, by what stands beneath it.
      for (const [id, plan] of [...plans].filter(([id]) => id.startsWith(`${root}-`))) {
        const inside = [...used].filter(([one]) => one === id || one.startsWith(`${id}-`));
        const tokens = inside.reduce((total, [, one]) => total + one.tokens, 0);
        if (plan.budget.tokens !== undefined && tokens > plan.budget.tokens)
          found.over.push(`${id}: tokens ${tokens} of ${plan.budget.tokens}`);
      }
    }),
    { numRuns: count },
  );
  return found;
}

const defined = (budget: Tree["budget"]) =>
  Object.fromEntries(Object.entries(budget).filter((entry): entry is [string, number] => entry[1] !== undefined));
