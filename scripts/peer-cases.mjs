// Runs the importers over recorded cases of other systems and prints how far Haft agrees with their answers.
//   npm run peer-cases -- PATH        PATH holds codex/, gemini/, opencode/, openclaw/
// A peer's answer is a baseline, not an oracle. Look at each case that is printed as looser; the rest are figures.
import { existsSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { builtinToolNames, createToolFilter } from "@haft/core/policy";
import { createHost } from "@haft/host/process";
import { importers } from "@haft/policy-tools";
import { builtinTools } from "@haft/tools";
import { stringify } from "smol-toml";
import { createLineExplainer } from "../packages/haft/src/app/explain/explain-line.ts";

const [root] = process.argv.slice(2);
if (root === undefined || !existsSync(root)) {
  process.stderr.write("Usage: npm run peer-cases -- PATH (a folder with codex/, gemini/, opencode/, openclaw/).\n");
  process.exit(2);
}

const host = createHost({ cwd: tmpdir(), home: homedir() });
const explainer = createLineExplainer({ host, tools: await builtinTools(), root: "/project" });
const rank = { allow: 0, ask: 1, deny: 2 };

await codexRules("codex/execpolicy.json");
await opencodePermissions("opencode/permission_evaluate.json");
await geminiPolicies("gemini/policy.json");
await openclawLists("openclaw/policy_name.json");
await openclawPrograms("openclaw/allowlist_evaluate.json");
await host.close();

async function codexRules(file) {
  const words = { allow: "allow", prompt: "ask", forbidden: "deny" };
  await compare(file, async (test) => {
    if (test.kind !== "prefix_rules") return undefined;
    const text = test.rules
      .map((rule) => `prefix_rule(pattern=${JSON.stringify(rule.pattern)}, decision="${rule.decision}")`)
      .join("\n");
    const commands = test.multiple ? test.command : [test.command];
    const command = commands.map((argv) => argv.join(" ")).join(" && ");
    return { imported: importers.codex(text), tool: "Bash", input: { command }, peer: words[test.expected] };
  });
}

async function opencodePermissions(file) {
  const tools = { bash: ["Bash", "command"], edit: ["Edit", "file_path"], read: ["Read", "file_path"] };
  await compare(file, async ({ config, permission, pattern, expect }) => {
    const [tool, field] =
      tools[permission] ??
      (permission.startsWith("mcp_") ? [permission.replace(/^mcp_/, "mcp__").replace(/_(?=[^_]*$)/, "__")] : []);
    if (tool === undefined) return undefined;
    const input =
      field === "command"
        ? { command: pattern }
        : field
          ? { file_path: pattern, old_string: "a", new_string: "b" }
          : {};
    // If no line of the configuration matches, the peer uses its default and Haft its mode.
    const isSaid = Object.keys(config).some((key) => key === "*" || key === permission || key.endsWith("*"));
    return {
      imported: importers.opencode(JSON.stringify({ permission: config })),
      tool,
      input,
      peer: isSaid ? expect : undefined,
    };
  });
}

async function geminiPolicies(file) {
  const { engines = {} } = read(file) ?? {};
  const words = { allow: "allow", ask_user: "ask", deny: "deny" };
  await compare(file, async ({ engine, call, expected, rule, subagent, annotations }) => {
    const { rules = [], approvalMode, defaultDecision, nonInteractive } = engines[engine] ?? {};
    const tool = builtinToolNames.canonical(call.name);
    if (
      !tool ||
      approvalMode !== "default" ||
      nonInteractive ||
      subagent ||
      annotations ||
      defaultDecision !== "ask_user"
    )
      return undefined;
    const text = stringify({ rule: rules.map(plainRule) });
    const { path, agent_name: agent, ...args } = call.args ?? {};
    const input = { ...args, ...(path ? { path, file_path: path } : {}), ...(agent ? { subagent_type: agent } : {}) };
    return {
      imported: importers.gemini(text),
      tool,
      input,
      peer: rule === null && expected === "ask_user" ? undefined : words[expected],
    };
  });
}

function plainRule(rule) {
  const known = [
    "toolName",
    "mcpName",
    "subagent",
    "argsPattern",
    "decision",
    "priority",
    "modes",
    "interactive",
    "toolAnnotations",
    "allowRedirection",
  ];
  const entries = known.flatMap((key) => {
    const value = rule[key];
    if (value === undefined || value === null || value.$undefined) return [];
    return [[key, value.$regex ?? value]];
  });
  return Object.fromEntries(entries);
}

async function openclawLists(file) {
  await compare(file, async ({ tool, policy, allowed }) => {
    if (tool === undefined || policy === undefined) return undefined;
    const imported = importers.openclaw(JSON.stringify({ tools: policy }));
    const name = builtinToolNames.canonical(tool);
    const filter = createToolFilter([imported.settings?.policy ?? {}]);
    const isGone = imported.settings && filter.exclusion({ name, origin: "builtin" }) !== undefined;
    return { imported, decision: isGone ? "deny" : "allow", peer: allowed ? "allow" : "deny" };
  });
}

async function openclawPrograms(file) {
  await compare(file, async ({ command, allowlist, satisfied }) => {
    const list = allowlist.map((pattern) => ({ pattern }));
    const imported = importers.openclaw(JSON.stringify({ version: 1, agents: { main: { allowlist: list } } }));
    return { imported, tool: "Bash", input: { command }, peer: satisfied ? "allow" : "ask" };
  });
}

/** Puts each case through its importer and the engine, and counts. */
async function compare(file, prepare) {
  const found = read(file);
  if (!found) return;
  const counts = { same: 0, stricter: 0, looser: 0, refused: 0, "not comparable": 0 };
  const looser = [];
  for (const test of found.cases ?? found) {
    const prepared = await prepare(test);
    if (prepared?.peer === undefined) {
      counts["not comparable"]++;
      continue;
    }
    const { imported, tool, input, peer } = prepared;
    if (!imported.settings) {
      counts.refused++;
      continue;
    }
    const decision = prepared.decision ?? (await decide(imported.settings, tool, input));
    const difference = rank[decision] - rank[peer];
    counts[difference === 0 ? "same" : difference > 0 ? "stricter" : "looser"]++;
    if (difference < 0) looser.push(`  looser: ${JSON.stringify(input ?? test)} is ${decision} here and ${peer} there`);
  }
  const figures = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`);
  process.stdout.write(`${file}: ${figures.join(", ")}\n${looser.map((line) => `${line}\n`).join("")}`);
}

async function decide({ permissions = {}, policy }, tool, input) {
  if (
    policy &&
    createToolFilter([policy]).exclusion({ name: tool, origin: tool.startsWith("mcp__") ? "mcp" : "builtin" })
  )
    return "deny";
  const { allow = [], ask = [], deny = [], defaultMode, additionalDirectories = [] } = permissions;
  const request = {
    tool,
    input,
    rules: { allow, ask, deny },
    ruleSource: "project",
    mode: defaultMode,
    projectRoot: "/project",
    cwd: "/project",
    home: "/home/u",
    additionalDirectories,
  };
  return (await explainer.explain(JSON.stringify(request), 1)).decision;
}

function read(file) {
  const path = join(resolve(root), file);
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8"));
  process.stdout.write(`${file}: not there\n`);
  return undefined;
}
