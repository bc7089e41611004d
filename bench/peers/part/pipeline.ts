/** The cost of a call that does nothing, of an agent's turn, and of a decision, with 10 to 10,000 tools and rules. */
import { type Contender, openContender } from "../contender.ts";
import type { Effort, Part, Row, Work } from "../measure.ts";
import { interleave } from "../measure.ts";
import { scratch } from "../places.ts";

const SIZES = [10, 100, 1_000, 10_000];
const NAMES = {
  haft: "haft",
  "ai-sdk": "AI SDK",
  "openai-agents": "OpenAI Agents",
  gemini: "Gemini CLI core",
} as const;

export const pipeline: Part = {
  charts: [
    {
      ...{ id: "turn", title: "A turn: one tool call and the answer, with a model that answers at once" },
      axis: "tools (for Haft also as many rules)",
      remark:
        "Haft's turn includes policy, effects, the record and the conversation on disk; the others have no policy and store nothing.",
    },
    {
      ...{ id: "call", title: "Haft: make one tool call", axis: "tools and rules" },
      remark: "There is no peer with the same work: neither SDK decides about a call.",
    },
    {
      ...{ id: "decide", title: "A decision about `git status`", axis: "rules" },
      remark:
        "Haft explains the decision and reads the repository's configuration for it; Gemini CLI core matches rules.",
    },
  ],
  async run({ rounds, isQuick }: Effort) {
    const rows: Row[] = [];
    for (const count of isQuick ? SIZES.slice(0, 2) : SIZES) {
      using place = scratch();
      const opened = new Map<keyof typeof NAMES, Contender>();
      for (const name of Object.keys(NAMES) as (keyof typeof NAMES)[])
        opened.set(name, await openContender(name, { ...place, count }));
      const works = (op: string, times: number, names: readonly (keyof typeof NAMES)[]): Record<string, Work> =>
        Object.fromEntries(
          names.map((name) => [NAMES[name], async () => (await opened.get(name)!.ask(op, undefined, times)).ms]),
        );
      const at = { at: count, rounds: isQuick ? 3 : rounds, warm: 3 };
      const times = count > 1_000 ? 2 : 10;
      const turners = ["haft", "ai-sdk", "openai-agents"] as const;
      rows.push(...(await interleave({ chart: "turn", unit: "ms", ...at }, works("turn", times, turners))));
      rows.push(...(await interleave({ chart: "call", unit: "ms", ...at }, works("nothing", 50, ["haft"]))));
      rows.push(...(await interleave({ chart: "decide", unit: "ms", ...at }, works("decide", 20, ["haft", "gemini"]))));
      await Promise.all([...opened.values()].map((one) => one.close()));
    }
    return rows;
  },
};
