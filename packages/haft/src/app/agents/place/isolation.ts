import { setImmediate as nextTick } from "node:timers/promises";
import type { ToolAgentSettings } from "@haft/core/policy";
import { type AgentRequest, fail, HaftError } from "@haft/core/tool";
import type { NoticeListener } from "../../notice.ts";
import type { Setup } from "../../setup/setup.ts";
import type { AgentNode } from "../node.ts";
import { type AgentPlace, openBasePlace, openWorktreePlace, type PlaceOptions } from "./agent-place.ts";

export interface PlacesOptions {
  readonly setup: Setup;
  readonly settings: Pick<ToolAgentSettings, "isolation">;
  readonly onNotice: NoticeListener;
}

/** An agent that is about to start, with its parts in its parent's folder. */
export interface Starting {
  readonly node: AgentNode;
  readonly request: AgentRequest;
  /** Lists of rules, each of which covers everything that it may do. */
  readonly effects: readonly (readonly string[])[];
}

/** Opens the folder in which an agent works. */
export type OpenPlace = (starting: Starting) => Promise<AgentPlace>;

const STAYS: AgentPlace = { move: (parts) => parts, finish: async () => ({}) };

/**
 * By default, agents that change files and work at the same time get a frozen copy each. A single one works in the
 * folder of its parent, which waits for it.
 */
export function createPlaces({ setup, settings, onNotice }: PlacesOptions): OpenPlace {
  /** Agents that change files and work now, by their parent. */
  const writing = new Map<AgentNode, Set<AgentNode>>();

  return async ({ node, request, effects }) => {
    const parent = node.parent!;
    const kind = request.isolation ?? node.type?.isolation ?? settings.isolation ?? "auto";
    if (!isWriter(node, effects)) return STAYS;
    const others = writing.get(parent) ?? new Set();
    writing.set(parent, others.add(node));
    const leave = () => void others.delete(node);
    try {
      // The calls of one turn start one after the other, in the same tick.
      if (kind === "auto") await nextTick();
      const isAlone = others.size === 1 && !(request.background ?? node.type?.background);
      const chosen = kind === "auto" ? (isAlone ? "none" : "base") : kind;
      const place = chosen === "none" ? STAYS : await open(node, request, chosen, kind === "auto");
      return { ...place, finish: () => place.finish().finally(leave) };
    } catch (thrown) {
      leave();
      throw thrown;
    }
  };

  async function open(node: AgentNode, request: AgentRequest, kind: "base" | "worktree", isDefault: boolean) {
    const parent = node.parent!.parts();
    const { id = node.ref.id, tool = "Agent", turn = 0 } = request.call ?? {};
    const call = { session: setup.session.id, id, tool, turn };
    const name = node.ref.id.replaceAll(".", "-");
    const options: PlaceOptions = { setup, agent: node.ref, parent, call, name, onNotice };
    if (kind === "worktree") return openWorktreePlace(options);
    const { journal } = parent;
    const why = journal ? await journal.whyNoFreeze() : "the journal is off";
    if (journal && why === undefined) {
      try {
        return await openBasePlace({ ...options, journal });
      } catch (thrown) {
        if (!isDefault || !HaftError.is(thrown)) throw thrown;
        onNotice(notice(thrown.message));
        return STAYS;
      }
    }
    if (!isDefault)
      fail("tool_unavailable", `The agent cannot get a copy: ${why}.`, 'Start it with isolation "none" or "worktree".');
    onNotice(notice(`${why}`));
    return STAYS;
  }
}

const notice = (why: string) => ({
  code: "agent_place" as const,
  severity: "notice" as const,
  source: "agents",
  message: `Agents that change files work in their parent's folder: ${why}`,
});

const READS = /^(?:read|connect|Read|Grep|Glob|LS|WebFetch|WebSearch)\b/;

/** Whether an agent may change files. */
function isWriter({ type, parent }: AgentNode, effects: Starting["effects"]): boolean {
  const parts = parent!.parts();
  if (parts.policy().mode === "plan" || type?.mode === "plan") return false;
  if (effects.some((bound) => bound.every((rule) => READS.test(rule)))) return false;
  const { registry } = parts.machine;
  const changes = (name: string) => {
    const can = registry.get(name)?.tool.can;
    return can === undefined || can.some((word) => word === "write" || word === "run" || word === "unknown");
  };
  return type?.tools === undefined || type.tools.some(changes);
}
