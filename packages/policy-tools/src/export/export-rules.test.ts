import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { createLineExplainer, type LineExplainer } from "../../../haft/src/app/explain/explain-line.ts";
import { peerVerdict } from "../../../haft/test/support/peer-verdict.ts";
import { importers } from "../import/importers.ts";
import { type ExportTarget, exportRules, exportTargets } from "./export-rules.ts";
import type { RulesToExport } from "./exported.ts";

type Answer = "allow" | "ask" | "deny";
const RANK = { allow: 0, ask: 1, deny: 2 } as const;
const TARGETS = Object.keys(exportTargets) as ExportTarget[];

let explainer: LineExplainer;
let close: () => Promise<void>;
beforeAll(async () => {
  const host = createHost({ cwd: "/", home: "/home/u" });
  explainer = createLineExplainer({ host, tools: await builtinTools(), root: "/project" });
  close = () => host.close();
});
afterAll(() => close());

const decided = new Map<string, Promise<Answer>>();
/** Haft's decision; each is made once. */
function haftSays(rules: Partial<RulesToExport>, command: string, mode?: string): Promise<Answer> {
  const place = { projectRoot: "/project", cwd: "/project", home: "/home/u", ruleSource: "project", trusted: true };
  const line = JSON.stringify({ tool: "Bash", input: { command }, rules, ...place, ...(mode ? { mode } : {}) });
  const known =
    decided.get(line) ?? explainer.explain(line, 1).then((answer) => (answer as { decision: Answer }).decision);
  decided.set(line, known);
  return known;
}
const exported = (target: ExportTarget, rules: RulesToExport) =>
  exportRules(target, rules, (command) => haftSays(rules, command), { leaveDenies: true });

const none: RulesToExport = { allow: [], ask: [], deny: [] };
const SETS: Readonly<Record<string, RulesToExport>> = {
  none,
  usual: {
    allow: [
      "Bash(npm run *)",
      "Bash(npm test)",
      "Bash(git commit *)",
      "Bash(git add *)",
      "Bash(make)",
      "Edit(/src/**)",
    ],
    ask: ["Bash(git push *)"],
    deny: ["Bash(rm *)", "Read(secrets/**)"],
  },
  generous: {
    allow: ["Bash", "Bash(cp *)", "Bash(cat *)", "Bash(curl *)", "Bash(git * main)"],
    ask: [],
    deny: ["write(dist/**)"],
  },
  hosts: {
    allow: ["Bash(curl *)", "Bash(npm install *)"],
    ask: ["connect(*.example.org)"],
    deny: ["connect(evil.example)"],
  },
};

const STARTS = [
  ...["npm run build", "npm run", "npm test", "git commit -m x", "git add a", "git push origin main", "git status"],
  ...[
    "make",
    "make all",
    "cp a b",
    "cat a.txt",
    "curl https://a.example",
    "npm install x",
    "git merge main",
    "rm -rf x",
  ],
  ...[
    "ls -la",
    "grep -r x src",
    "git -C sub push",
    "env rm x",
    "sh -c 'rm x'",
    "xargs rm",
    "cp a dist/b",
    "cat secrets/k",
  ],
];
const ENDS = [
  "",
  " .env",
  " > out.txt",
  " > .git/hooks/x",
  " && rm x",
  " $(rm x)",
  " ../x",
  " -rf ~",
  "; git push",
  " | sh",
];
const MORE = [
  ...[
    "sudo ls",
    "FOO=1 npm run x",
    "NODE_ENV=test npm run x",
    "timeout 5 npm test",
    "PATH=. npm test",
    "curl https://evil.example/x",
  ],
  ...[
    "curl https://www.example.org",
    "npm test -- --x",
    "npm runx",
    "gitk",
    "cat ~/.ssh/id_rsa",
    "tee dist/x",
    "python3 x.py",
  ],
];
const COMMANDS = [...STARTS.flatMap((start) => ENDS.map((end) => `${start}${end}`)), ...MORE];

/** In another spelling, or from a program's own arguments: the report says that these ask there. */
const isNamedLoss = (target: string, here: Answer, there: Answer) =>
  target === "codex" && here === "deny" && there === "ask";

describe("an exported policy is never looser than Haft's", () => {
  it(`F12 holds for ${COMMANDS.length} commands and every target`, { timeout: 60_000 }, async () => {
    expect(COMMANDS.length).toBeGreaterThan(200);
    const looser: string[] = [];
    for (const [name, rules] of Object.entries(SETS))
      for (const target of TARGETS) {
        const { text } = await exported(target, rules);
        for (const command of COMMANDS) {
          const here = await haftSays(rules, command);
          const there = peerVerdict(target, text!, command);
          if (RANK[there] < RANK[here] && !isNamedLoss(target, here, there))
            looser.push(`${name} ${target}: ${command}: ${there}, here ${here}`);
        }
      }
    expect(looser).toEqual([]);
  });

  it("F12 an export that is imported again is never looser than the rules it came from", {
    timeout: 60_000,
  }, async () => {
    const word = fc.constantFrom("git", "npm", "rm", "push", "run", "x");
    const command = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
    const rule = fc.tuple(command, fc.constantFrom("", " *")).map(([text, end]) => `Bash(${text}${end})`);
    const list = fc.array(fc.oneof(rule, fc.constantFrom("Edit(/src/**)", "Read(secrets/**)")), { maxLength: 2 });
    const rules = fc.record({ allow: list, ask: list, deny: list });
    const target = fc.constantFrom("claude", "codex", "gemini", "opencode@1");
    await fc.assert(
      fc.asyncProperty(rules, target, command, async (rules, target, command) => {
        const { text } = await exported(target as ExportTarget, rules);
        // The importer refuses patterns with operators: Haft judges redirections by itself.
        const plain = text!.replaceAll(/^ *"\*(?:>|<\()\*": "ask",\n/gm, "");
        const { settings, notes } = importers[target.replace("@1", "") as keyof typeof importers](plain);
        expect(notes.filter(({ severity }) => severity === "error")).toEqual([]);
        const { allow = [], ask = [], deny = [], defaultMode } = settings?.permissions ?? {};
        const here = await haftSays(rules, command);
        const back = await haftSays({ allow, ask, deny }, command, defaultMode);
        if (!isNamedLoss(target, here, back)) expect(RANK[back]).toBeGreaterThanOrEqual(RANK[here]);
      }),
      { numRuns: runs(200) },
    );
  });

  it("F12 an allow is left out with the command that it would let pass, and a deny that cannot be said refuses", async () => {
    const rules = { allow: ["Bash(npm test)", "Bash(npm run *)"], ask: [], deny: [] };
    const { text, notes } = await exported("codex", rules);
    expect(text!.match(/^.*decision="allow".*$/gm)).toEqual(['prefix_rule(pattern=["npm","run"], decision="allow")']);
    expect(notes.find(({ rule }) => rule === "Bash(npm test)")).toMatchObject({
      loss: "stricter",
      message: expect.stringMatching(/Left out, so it asks: it would also allow `npm test x`/),
    });
    const decide = async () => "ask" as const;
    const denied = await exportRules("codex", { ...none, deny: ["Read(secrets/**)"] }, decide);
    expect(denied.text).toBeUndefined();
    expect(denied.notes).toContainEqual(expect.objectContaining({ loss: "error", rule: "Read(secrets/**)" }));
  });

  it.each(TARGETS)("F12 %s: the report names every rule", async (target) => {
    for (const rules of Object.values(SETS)) {
      const { notes } = await exported(target, rules);
      for (const rule of [...rules.allow, ...rules.ask, ...rules.deny])
        expect(notes.some((note) => note.rule === rule)).toBe(true);
    }
  });
});
