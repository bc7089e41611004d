/** What a decision costs with few and with many rules of every kind, asked in turn so that all meet the same machine. */
import { createPolicy, type Policy, type RuleSource, type Situation } from "@haft/core/policy";
import { connect, type Effect, read, run, write } from "@haft/core/tool";
import { type Figure, p50 } from "./measure.ts";

export async function policyFigures(): Promise<Figure[]> {
  const policies = [10, 1_000, 10_000].map((count) => ({ policy: policyWith(count), samples: [] as number[] }));
  for (let round = 0; round < 300; round++)
    for (const { policy, samples } of policies) {
      const from = performance.now();
      for (const situation of SITUATIONS) policy.decide(situation);
      // The first rounds are the compiler's.
      if (round >= 100) samples.push(((performance.now() - from) * 1000) / SITUATIONS.length);
    }
  const [few = 0, many = 0, most = 0] = policies.map(({ samples }) => p50(samples));
  return [
    { name: "decision, 10 rules", value: few, unit: "µs p50", limit: 20 },
    { name: "decision, 1,000 rules against 10", value: many / few, unit: "×", limit: 1.3 },
    { name: "decision, 10,000 rules against 10", value: most / few, unit: "×", limit: 2 },
  ];
}

const WORKSPACE = { root: "/w", startedIn: "/w", cwd: "/w", home: "/home/u", additional: [], platform: "linux" };

const policyWith = (count: number): Policy =>
  createPolicy({ workspace: WORKSPACE, rules: rules(count), trusted: true });

/** Rules as people write them: by command, by place, by name at any depth, by ending, by host, by server. */
function rules(count: number): RuleSource[] {
  const shapes = [
    (n: number) => `Bash(tool${n} *)`,
    (n: number) => `Bash(git sub${n}:*)`,
    (n: number) => `Edit(/dir${n}/**)`,
    (n: number) => `Read(.secret${n})`,
    (n: number) => `Read(**/*.ext${n})`,
    (n: number) => `WebFetch(domain:*.host${n}.com)`,
    (n: number) => `mcp__server${n}__get_issue`,
    (n: number) => `write(//srv/app${n}/*.conf)`,
    (n: number) => `Agent(helper${n})`,
    (n: number) => `Bash(npm run task${n})`,
  ];
  return Array.from({ length: count }, (_, index) => ({
    behavior: (["allow", "ask", "deny"] as const)[index % 3]!,
    origin: "user" as const,
    text: shapes[index % shapes.length]!(index),
  }));
}

const by = (name: string, ...effects: Effect[]): Situation => ({
  tool: { name, origin: "builtin" },
  input: {},
  effects,
});
const command = (text: string): Effect => run({ argv: text.split(" "), text, cwd: "/w", basis: "proved" });

const SITUATIONS: readonly Situation[] = [
  by("Bash", command("git status"), command("npm run build")),
  by("Bash", command("grep -rn needle src"), read("/w/src", { tree: true })),
  by("Edit", write("/w/src/a/b/c/file.ts", "modify")),
  by("Read", read("/w/packages/core/src/index.ts")),
  by("Grep", read("/w", { tree: true })),
  by("WebFetch", connect("docs.example.com", { sends: false })),
];
