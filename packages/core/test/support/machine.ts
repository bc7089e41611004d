import type { CallEvent, CallOutcome, Machine } from "@haft/core/executor";
import type { Decision, Situation } from "@haft/core/policy";
import { createRegistry } from "@haft/core/registry";
import type { ToolLike } from "@haft/core/tool";
import { contentsText } from "@haft/core/tool";
import { memoryPorts } from "./memory.ts";

/** A decision without rules, for tests that are about the machine and not about the policy. */
export function verdict(decision: Decision["decision"], situation: Situation, extra: Partial<Decision> = {}): Decision {
  return {
    decision,
    reason: `the test says ${decision}`,
    trace: [],
    suggestions: [],
    grant: { effects: situation.effects, holes: [] },
    ...extra,
  };
}

/** A machine that allows everything, with a registry of the given tools and a log of its events. */
export function testMachine(tools: readonly ToolLike[], changes: Partial<Machine> = {}) {
  const registry = createRegistry();
  registry.add({ origin: "builtin", name: "test" }, tools);
  const events: CallEvent[] = [];
  const machine: Machine = {
    registry,
    available: () => true,
    policy: () => ({ mode: "default", generation: 1, decide: (situation) => verdict("allow", situation) }),
    ports: memoryPorts(),
    agent: { id: "main" },
    session: { id: "s1" },
    cwd: () => "/w",
    home: "/home/u",
    offerContext: () => ({ cwd: "/w", agent: { id: "main" }, platform: "linux", ports: new Set(), mode: "default" }),
    listener: (event) => void events.push(event),
    ...changes,
  };
  return { machine, registry, events };
}

/** The text that the model would read. */
export const textOf = (outcome: CallOutcome): string => contentsText(outcome.result.content);

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
