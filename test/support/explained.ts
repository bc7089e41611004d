import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { expect } from "vitest";
import { createLineExplainer, type LineExplainer } from "../../packages/haft/src/app/explain/explain-line.ts";

/** The expected decision, the call, the rules in force, and the rest of the line. */
export type Row = [decision: string, call: string, rules?: readonly string[], more?: object];

let explainer: LineExplainer | undefined;

/**
 * Judges a call as a line of `haft explain --jsonl` in the workspace `/w`. Text is a command for Bash; `@Tool subject`
 * calls a tool with the one field that matters. `+rule` allows, `?rule` asks, `-rule` denies.
 */
export async function decided(call: string, rules: readonly string[] = [], more: object = {}): Promise<string> {
  explainer ??= createLineExplainer({ host: createHost({ cwd: "/" }), tools: await builtinTools(), root: "/" });
  const line = { ...PLACE, ...readCall(call), rules: readRules(rules), ...more };
  const { decision } = (await explainer.explain(JSON.stringify(line), 1)) as { decision: string };
  return decision;
}

/** Holds one row. */
export async function holds(decision: string, call: string, rules?: readonly string[], more?: object): Promise<void> {
  expect(await decided(call, rules, more), `${call} with ${rules?.join(", ") || "no rules"}`).toBe(decision);
}

const PLACE = { projectRoot: "/w", startedIn: "/w", cwd: "/w", home: "/home/u" };

const SUBJECTS: Readonly<Record<string, (subject: string) => object>> = {
  Read: (file_path) => ({ file_path }),
  Edit: (file_path) => ({ file_path, old_string: "a", new_string: "b" }),
  Write: (file_path) => ({ file_path, content: "x" }),
  NotebookEdit: (notebook_path) => ({ notebook_path, new_source: "x" }),
  Grep: (path) => ({ pattern: "x", path }),
  Glob: (path) => ({ pattern: "*", path }),
  WebFetch: (url) => ({ url, prompt: "x" }),
  Agent: (subagent_type) => ({ subagent_type, prompt: "p", description: "d" }),
  Skill: (text) => {
    const [skill, args] = text.split(" ");
    return { skill, ...(args === undefined ? {} : { args }) };
  },
};

function readCall(call: string): object {
  const [, tool = "", subject = ""] = /^@(\w+) ?(.*)$/s.exec(call) ?? [];
  if (tool === "") return { tool: "Bash", input: { command: call } };
  return { tool, input: subject.startsWith("{") ? JSON.parse(subject) : (SUBJECTS[tool]?.(subject) ?? {}) };
}

function readRules(rules: readonly string[]): object {
  const of = (sign: string) => rules.filter((rule) => rule.startsWith(sign)).map((rule) => rule.slice(1));
  return { allow: of("+"), ask: of("?"), deny: of("-") };
}
