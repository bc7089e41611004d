import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLineExplainer, type LineExplainer } from "../../../haft/src/app/explain/explain-line.ts";
import { importClaude } from "./claude.ts";
import { importCodex } from "./codex/codex.ts";
import type { Imported } from "./imported.ts";
import { importOpencode } from "./opencode/opencode.ts";
import { wildcardMatches } from "./order/wildcard.ts";

const RANK = { allow: 0, ask: 1, deny: 2 } as const;
type Answer = keyof typeof RANK;

let explainer: LineExplainer;
let close: () => Promise<void>;
beforeAll(async () => {
  const host = createHost({ cwd: "/", home: "/home/u" });
  explainer = createLineExplainer({ host, tools: await builtinTools(), root: "/project" });
  close = () => host.close();
});
afterAll(() => close());

interface Call {
  readonly tool: string;
  readonly input: object;
}

/** What Haft decides with the imported settings, in the mode in which it asks. */
async function decided({ settings }: Imported, call: Call): Promise<Answer> {
  const { allow = [], ask = [], deny = [], defaultMode } = settings?.permissions ?? {};
  const place = { projectRoot: "/project", cwd: "/project", home: "/home/u", ruleSource: "project" };
  const line = { ...call, rules: { allow, ask, deny }, ...place, ...(defaultMode ? { mode: defaultMode } : {}) };
  const answer = (await explainer.explain(JSON.stringify(line), 1)) as { decision: Answer; error?: object };
  expect(answer.error).toBeUndefined();
  return answer.decision;
}

const word = fc.constantFrom("git", "npm", "rm", "push", "status", "run", "-f", "x");
const argv = fc.array(word, { minLength: 1, maxLength: 4 });
const path = fc.constantFrom("a.ts", "src/a.ts", "src/b/c.md", ".env", "src/.env", "docs/x.md", "srcs/a.ts");
const action = fc.constantFrom<Answer>("allow", "ask", "deny");

const bash = (command: string): Call => ({ tool: "Bash", input: { command } });
const edit = (file: string): Call => ({
  tool: "Edit",
  input: { file_path: `/project/${file}`, old_string: "a", new_string: "b" },
});
const read = (file: string): Call => ({ tool: "Read", input: { file_path: `/project/${file}` } });

describe("an import is never looser than the peer", () => {
  it("F12 law: Codex, which decides by the strictest of all prefixes that hit", async () => {
    const words = { allow: "allow", ask: "prompt", deny: "forbidden" } as const;
    const position = fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 2 }));
    const rules = fc.array(fc.tuple(fc.array(position, { minLength: 1, maxLength: 3 }), action), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rules, argv, async (list, command) => {
        const ranksOf = (words: readonly string[]) =>
          list
            .filter(([pattern]) =>
              pattern.every((wanted, index) => [wanted].flat().some((one) => one === words[index])),
            )
            .map(([, one]) => RANK[one]);
        const hits = ranksOf(command);
        // Without a hit Codex has no decision of its own to compare with.
        fc.pre(hits.length > 0);
        const peer = Math.max(...hits);
        const text = list.map(
          ([pattern, one]) => `prefix_rule(pattern=${JSON.stringify(pattern)}, decision="${words[one]}")`,
        );
        const imported = importCodex(text.join("\n"));
        expect(imported.settings).toBeDefined();
        const here = RANK[await decided(imported, bash(command.join(" ")))];
        expect(here).toBeGreaterThanOrEqual(peer);
        // A program whose further effects are known, such as rm, has to have those allowed too; others are just the same.
        // `npm x git` starts git, so rules about any later word bind it here.
        const started = command[0] === "npm" && command.find((one, index) => index > 0 && one !== "-f") === "x";
        const inner = started ? command.flatMap((_, index) => ranksOf(command.slice(index + 1))) : [];
        if (["npm", "x"].includes(command[0] ?? ""))
          expect(here).toBe(Math.max(peer, ...inner.map((rank) => Math.min(rank, RANK.ask))));
      }),
      { numRuns: 100 },
    );
  });

  it("F12 law: opencode, which decides by the last line that hits", async () => {
    const command = fc
      .array(fc.oneof(word, fc.constant("*")), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(" "));
    const file = fc.constantFrom("*", "*.md", "src/*", "*.env", "src/*.ts", "s*c/*", ".env", "src/a.ts", "docs");
    const patterns = (one: fc.Arbitrary<string>) =>
      fc.oneof(
        action,
        fc.uniqueArray(fc.tuple(one, action), { selector: ([p]) => p, maxLength: 4 }).map(Object.fromEntries),
      );
    const config = fc
      .uniqueArray(
        fc.oneof(
          fc.tuple(fc.constantFrom("bash", "b*"), patterns(command)),
          fc.tuple(fc.constantFrom("edit", "read"), patterns(file)),
          fc.tuple(fc.constant("*"), action),
        ),
        { selector: ([key]) => key as string, maxLength: 4 },
      )
      .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);
    const call = fc.oneof(
      argv.map((words) => ({ key: "bash", text: words.join(" "), call: bash(words.join(" ")) })),
      path.map((file) => ({ key: "edit", text: file, call: edit(file) })),
      path.map((file) => ({ key: "read", text: file, call: read(file) })),
    );
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(config, call, async (permission, { key, text, call }) => {
        const imported = importOpencode(JSON.stringify({ permission }));
        if (!imported.settings) return;
        compared++;
        expect(RANK[await decided(imported, call)]).toBeGreaterThanOrEqual(RANK[opencodeSays(permission, key, text)]);
      }),
      { numRuns: 160 },
    );
    expect(compared).toBeGreaterThan(40);
  });

  it("F12 law: Claude Code, in which deny comes before ask and ask before allow", async () => {
    const command = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
    const rule = fc.oneof(
      fc.tuple(command, fc.constantFrom("", " *", ":*")).map(([text, end]) => `Bash(${text}${end})`),
      fc.constantFrom("Bash", "Read(.env)", "Edit(/src/**)", "Edit(*.md)", "Edit", "Read(/src/*.ts)"),
    );
    const lists = fc.record({
      allow: fc.array(rule, { maxLength: 3 }),
      ask: fc.array(rule, { maxLength: 2 }),
      deny: fc.array(rule, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(lists, argv, async (permissions, words) => {
        const text = words.join(" ");
        const hit = (list: readonly string[]) => list.some((one) => claudeHits(one, text));
        const peer = hit(permissions.deny)
          ? "deny"
          : hit(permissions.ask)
            ? "ask"
            : hit(permissions.allow)
              ? "allow"
              : undefined;
        fc.pre(peer !== undefined);
        const imported = importClaude(JSON.stringify({ permissions }));
        expect(RANK[await decided(imported, bash(text))]).toBeGreaterThanOrEqual(RANK[peer!]);
      }),
      { numRuns: 100 },
    );
  });
});

/** As documented: all lines flattened in their order, the last that hits decides, and what none means is allowed. */
function opencodeSays(permission: Record<string, unknown>, key: string, text: string): Answer {
  const lines = Object.entries(permission).flatMap(([one, value]) =>
    typeof value === "string"
      ? [[one, "*", value] as const]
      : Object.entries(value as object).map(([pattern, what]) => [one, pattern, what as string] as const),
  );
  const means = (pattern: string) =>
    wildcardMatches(pattern, text) || (pattern.endsWith(" *") && wildcardMatches(pattern.slice(0, -2), text));
  const last = lines.findLast(([one, pattern]) => wildcardMatches(one, key) && means(pattern));
  return (last?.[2] as Answer | undefined) ?? "allow";
}

/** As documented for one simple command. */
function claudeHits(rule: string, command: string): boolean {
  const specifier = /^Bash\((.*)\)$/.exec(rule)?.[1];
  if (specifier === undefined) return rule === "Bash";
  const prefix = /^(.*?)(?: \*|:\*)$/.exec(specifier)?.[1];
  return prefix === undefined ? command === specifier : command === prefix || command.startsWith(`${prefix} `);
}
