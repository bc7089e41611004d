import { createExecutor, type Machine } from "@haft/core/executor";
import { createPolicy, type Mode, type Policy, type PolicyOptions, type RuleSource } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import { HaftError, resolve, type Tool, type ToolError, toToolError } from "@haft/core/tool";
import type { Host } from "@haft/host/process";
import { surveysFor } from "@haft/sandbox/system-folders";
import type { RuleTexts } from "../haft.ts";
import { type ExplainRequest, readExplainRequest, UnreadableLine } from "./explain-request.ts";
import { withSketches } from "./explain-tools.ts";
import { rememberedLocate } from "./remembered-locate.ts";

/** Defaults for lines that do not set these values. */
export interface ExplainBase {
  readonly host: Host;
  readonly tools: readonly Tool[];
  /** Rules added to those of each line. */
  readonly rules?: RuleTexts;
  readonly mode?: Mode;
  /** The project of the current folder. */
  readonly root: string;
}

/** Explains calls, one a line, each under its own rules. The same line always gets the same answer. */
export interface LineExplainer {
  /** Answers any line, also an invalid one; `number` counts from 1. Never rejects. */
  explain(line: string, number: number): Promise<object>;
}

/** Number of policies kept. Lines of one test run tend to share their rules. */
const KEPT_POLICIES = 256;

/** An explainer without a session: it writes nothing, and reads from the disk only where paths lead. */
export function createLineExplainer(base: ExplainBase): LineExplainer {
  const { host } = base;
  const registry = createRegistry();
  registry.add({ origin: "builtin", name: "haft" }, base.tools);
  const policies = policyCache(base);
  // Nothing runs here, so the program behind a name does not need to be identified.
  const { identify: _, digest: _digest, ...processes } = host.ports.processes;
  const machine: Machine = {
    registry,
    available: () => true,
    policy: () => policies.get({ rules: {}, source: { origin: "cli" }, trusted: false, place: HERE }).policy,
    ports: {
      ...host.ports,
      // The product has a fence for commands on hold, or refuses to run them.
      processes: { ...processes, fencesHeld: true },
      files: { ...host.ports.files, locate: rememberedLocate(host.ports.files.locate) },
    },
    agent: { id: "main" },
    session: { id: "explain" },
    cwd: () => host.cwd,
    home: host.home,
    offerContext: () => ({
      cwd: host.cwd,
      agent: { id: "main" },
      platform: process.platform,
      ports: new Set(Object.keys(host.ports)),
      mode: base.mode ?? "default",
    }),
  };
  const executor = createExecutor(machine);

  async function answer(request: ExplainRequest): Promise<object> {
    const { policy, remarks } = policies.get(request);
    const warnings = [...request.warnings, ...remarks];
    const { cwd, home } = policy.workspace;
    const changes: Partial<Machine> = {
      registry: withSketches(registry, request.mcpMeta),
      policy: () => policy,
      cwd: () => cwd,
      home,
    };
    const { tool, effects, decision, error } = await executor
      .with(changes)
      .explain({ id: "explain", tool: request.tool, input: request.input });
    return {
      tool,
      decision: decision?.decision ?? "deny",
      reason: decision?.reason ?? error?.message ?? "",
      rule: decision?.rule,
      effects,
      trace: decision?.trace ?? [],
      // The tool's own check looks at this machine, and a line may be about another one.
      error: decision ? undefined : error,
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }

  return {
    async explain(line, number) {
      try {
        return await answer(readExplainRequest(parseLine(line)));
      } catch (thrown) {
        return { line: number, decision: "deny", error: errorOf(thrown) };
      }
    },
  };
}

/** Replaces nothing of this machine. */
const HERE: ExplainRequest["place"] = { additionalDirectories: [] };

/** Caches policies by their inputs. */
function policyCache(base: ExplainBase): { get(request: PolicyOf): ReadPolicy } {
  const kept = new Map<string, ReadPolicy>();
  return {
    get({ rules, source, place, mode, trusted }) {
      const key = JSON.stringify([rules, source, place, mode, trusted]);
      const known = kept.get(key);
      if (known) return known;
      const policy = makePolicy(base, { rules, source, place, trusted, ...(mode ? { mode } : {}) });
      if (kept.size >= KEPT_POLICIES) kept.clear();
      kept.set(key, policy);
      return policy;
    },
  };
}

type PolicyOf = Pick<ExplainRequest, "rules" | "source" | "place" | "mode" | "trusted">;

/** A policy with the remarks on its rules. */
interface ReadPolicy {
  readonly policy: Policy;
  readonly remarks: readonly string[];
}

/** Rules that match nothing are ignored with a remark, as documented; settings with one would not load. */
function makePolicy(base: ExplainBase, { rules, source, place, mode, trusted }: PolicyOf): ReadPolicy {
  const { host } = base;
  const home = place.home ?? host.home;
  const root = place.projectRoot ?? place.startedIn ?? place.cwd ?? base.root;
  const startedIn = place.startedIn ?? place.projectRoot ?? place.cwd ?? host.cwd;
  const cwd = place.cwd ?? place.startedIn ?? place.projectRoot ?? host.cwd;
  const inHome = (path: string) => (path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path);
  const options: PolicyOptions = {
    rules: [...sources(rules, source), ...sources(base.rules ?? {}, { origin: "cli" })],
    mode: mode ?? base.mode ?? "default",
    trusted,
    keepsReaders: surveysFor,
    workspace: {
      root,
      startedIn,
      cwd,
      home,
      additional: place.additionalDirectories.map((path) => resolve(startedIn, inHome(path))),
      platform: place.platform ?? process.platform,
    },
  };
  const policy = createPolicy(options);
  const remarks = policy.problems.map(({ rule, message, cure }) => `rule "${rule}": ${message} ${cure}`);
  const errors = policy.problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return { policy, remarks };
  const unread = errors.filter(({ neverMatches }) => !neverMatches);
  if (unread.length === 0) return { policy: policy.with({ rules: withoutRules(policy, errors) }), remarks };
  const message = unread.map(({ rule, message: what }) => `${rule}: ${what}`).join("\n");
  throw new HaftError({ code: "validation_failed", message, hint: unread.map(({ cure }) => cure).join("\n") });
}

const withoutRules = ({ rules }: Policy, problems: Policy["problems"]): readonly RuleSource[] =>
  rules.filter((rule) => !problems.some(({ source }) => source === rule));

const sources = (rules: RuleTexts, source: ExplainRequest["source"]): RuleSource[] =>
  (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, ...source, text })),
  );

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    throw new HaftError({
      code: "invalid_json",
      message: `This line is not JSON: ${(thrown as Error).message}.`,
      hint: 'Write one object a line: {"tool": "Bash", "input": {"command": "ls"}}.',
    });
  }
}

const errorOf = (thrown: unknown): ToolError =>
  thrown instanceof UnreadableLine ? { code: "invalid_input", message: thrown.message } : toToolError(thrown);
