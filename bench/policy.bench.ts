/** The cost of a decision with few and with many rules of every kind, and of the analysis of a command. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPolicy, type Policy, type RuleSource, type Situation } from "@haft/core/policy";
import { connect, type Effect, read, run, write } from "@haft/core/tool";
import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { type Figure, p50 } from "./measure.ts";

export async function policyFigures(): Promise<Figure[]> {
  return [...decisionFigures(), await commandFigure()];
}

/** In turn, so that all meet the same machine. */
function decisionFigures(): Figure[] {
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

/** Commands as agents write them, of which the effects are found in a real folder: that is what a call waits for. */
async function commandFigure(): Promise<Figure> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const { ports } = createHost({ cwd });
  const bash = (await builtinTools()).find(({ name }) => name === "Bash")!;
  const policy = policyWith(10);
  const samples: number[] = [];
  for (let round = 0; round < 1_500; round++)
    for (const input of COMMANDS) {
      const from = performance.now();
      const effects = await bash.effects(input, {
        cwd,
        home: "/home/u",
        ports,
        locate: ports.files.locate,
        forbids: () => false,
      });
      policy.decide({ tool: { name: bash.name, origin: "builtin" }, input, effects });
      if (round >= 500) samples.push((performance.now() - from) * 1000);
    }
  rmSync(cwd, { recursive: true });
  return { name: "a command analysed in its place and decided on", value: p50(samples), unit: "µs p50", limit: 60 };
}

const COMMANDS = [
  "ls -la src",
  "git log --oneline -5",
  "git diff --stat && git status --short",
  "grep -rn 'needle' src --include='*.ts' | head -20",
  "npm test 2>&1 | tail -30",
  "sed -n '10,40p' src/index.ts",
  "cd packages/core && find . -name '*.ts' | wc -l",
].map((command) => ({ command }));

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
