import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JournalCall, Machine } from "@haft/core/executor";
import type { Policy } from "@haft/core/policy";
import { type AgentNews, type AgentRef, isWithin } from "@haft/core/tool";
import type { Frozen, HostJournal } from "@haft/journal";
import { mergedWords } from "@haft/journal/capture";
import { openWorktrees } from "@haft/service/session";
import type { JournalPlace } from "../../journal/open-journal.ts";
import type { NoticeListener } from "../../notice.ts";
import type { Parts } from "../../public-api.ts";
import type { Setup } from "../../setup/setup.ts";
import { openWorld } from "../../setup/world.ts";
import { facing } from "./facing.ts";
import { back, inFolder, type Moved } from "./moved.ts";
import { movedPolicy } from "./moved-policy.ts";
import { newsInFolder } from "./pieces.ts";

/** The folder in which an agent works. */
export interface AgentPlace {
  /** The folder that it stands for, and the agent's own; absent if it works in its parent's. */
  readonly moved?: Moved;
  /** Puts what the agent says in the terms of its parent: the paths of a copy end with it. */
  readonly outward?: {
    text(said: string): string;
    news(tell: (news: AgentNews) => void): (news: AgentNews) => void;
  };
  /** The agent's parts in this folder. */
  move(parts: Parts): Parts;
  /** Ends the programs of the agent and brings its changes back. */
  finish(): Promise<Finished>;
}

/** The result for the parent of the agent. */
export interface Finished {
  /** Absolute paths in the parent's folder. */
  readonly filesModified?: readonly string[];
  /** For the agent that started it, in words. */
  readonly note?: string;
}

/** Finishes a place. A failure becomes a note: the agent's answer must not be lost with it. */
export async function finished(place: AgentPlace): Promise<Finished> {
  try {
    return await place.finish();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { note: `Its changes were not merged: ${why} They will be held when Haft starts next.` };
  }
}

export interface PlaceOptions {
  readonly setup: Setup;
  readonly agent: AgentRef;
  /** The agent that started this one. */
  readonly parent: Parts;
  readonly call: JournalCall;
  /** A name for the agent that nothing else in the session has. */
  readonly name: string;
  readonly onNotice: NoticeListener;
}

/** A frozen copy of the parent's folder. The agent's changes come back by a merge when it ends. */
export async function openBasePlace(options: PlaceOptions & { readonly journal: HostJournal }): Promise<AgentPlace> {
  const { journal, parent, call } = options;
  const frozen = await journal.freeze(call);
  const move = { from: parent.policy().workspace.root, to: frozen.root };
  const beforeDirect = () => journal.separate(frozen);
  const linked = [...frozen.linked].map((path) => frozen.root + path.slice(move.from.length));
  const isLinked = (path: string) => frozen.hasLinks && linked.some((folder) => isWithin(folder, path));
  const placed = { folder: join(frozen.folder, "journal"), root: frozen.root, beforeDirect, isLinked };
  const { close, ...place } = await moveTo(move, options, placed);
  return {
    ...place,
    move: (parts) => facing(place.move(parts), place.moved),
    outward: {
      text: (said) => inFolder(back(place.moved), said),
      news: (tell) => newsInFolder(back(place.moved), tell),
    },
    async finish() {
      await close();
      return takeOver(frozen, options);
    },
  };
}

async function takeOver(
  frozen: Frozen,
  { journal, parent, agent, call }: PlaceOptions & { readonly journal: HostJournal },
) {
  const merged = await journal.merge(frozen, call);
  const files = new Set(merged.applied.filter(({ after }) => after.type !== "folder").map(({ path }) => path));
  let isAgreed = merged.conflicts.length === 0 || !merged.asks;
  if (!isAgreed) {
    const asked = merged.held.map((id) => ({
      id: `${call.id}-${id}`,
      tool: "HeldChanges",
      input: { action: "commit", id },
    }));
    // In the name of the agent: the question says whose changes they are, and a no ends nobody else's work.
    const outcomes = await parent.executor.with({ agent }).run(asked);
    isAgreed = outcomes.every(({ status }) => status === "ok");
    if (isAgreed) for (const path of merged.conflicts) files.add(path);
  }
  const note = mergedWords(merged, "agent", isAgreed && merged.asks);
  return { filesModified: [...files].sort(), ...(note === "" ? {} : { note }) };
}

/** A git worktree of its own. It stays if anything in it is not committed. */
export async function openWorktreePlace(options: PlaceOptions): Promise<AgentPlace> {
  const { root } = options.parent.policy().workspace;
  const trees = openWorktrees({ root, move: () => {} });
  const tree = await trees.enter(`agent-${options.name}`);
  const { close, ...place } = await moveTo({ from: root, to: tree.path }, options);
  return {
    ...place,
    async finish() {
      await close();
      if (!existsSync(tree.path))
        return {
          note: `Its worktree is gone, with all uncommitted changes; its commits are on the branch ${tree.branch}.`,
        };
      const isEmpty = await trees.leave({ remove: true, discard: false }).then(
        () => true,
        () => false,
      );
      return {
        note: `${isEmpty ? "Its worktree is removed; commits are" : `Its worktree ${tree.path} stays; it is`} on the branch ${tree.branch}.`,
      };
    },
  };
}

/** Ports on another folder: files, programs and jobs, with a journal of its own. */
async function moveTo(moved: Moved, { setup, parent, name, onNotice }: PlaceOptions, placed?: JournalPlace) {
  let policy: () => Policy = once(parent.policy, moved);
  const { workspace } = policy();
  const { session } = setup;
  const spill = session.spill && join(session.spill, `agent-${name}`);
  const own = { ...setup, cwd: workspace.cwd, workspace, session: { ...session, ...(spill ? { spill } : {}) } };
  const world = await openWorld(own, () => policy(), onNotice, { placed });
  const { files, processes, jobs, held } = world.ports;
  const journal = world.journaling?.journal;
  return {
    moved,
    move(parts: Parts): Parts {
      policy = once(parts.policy, moved);
      const { machine } = parts;
      const changes: Partial<Machine> = {
        ports: {
          ...machine.ports,
          files,
          ...(processes ? { processes } : {}),
          ...(jobs ? { jobs } : {}),
          ...(held ? { held } : {}),
        },
        policy,
        cwd: () => policy().workspace.cwd,
        apart: moved.to,
        seen: new Map(),
        ...(journal ? { journal } : {}),
        offerContext: () => ({ ...machine.offerContext(), cwd: policy().workspace.cwd }),
      };
      return {
        ...parts,
        machine: { ...machine, ...changes },
        executor: parts.executor.with(changes),
        policy,
        jobs: world.jobs,
        ...(journal ? { journal } : {}),
      };
    },
    async close() {
      await world.close();
      await journal?.jobs.idle();
      await journal?.close();
    },
  };
}

/** Derives once for each policy of the parent. */
function once(source: () => Policy, move: Moved): () => Policy {
  let from: Policy | undefined;
  let derived: Policy | undefined;
  return () => {
    const now = source();
    if (derived === undefined || now !== from) derived = movedPolicy(now, move);
    from = now;
    return derived;
  };
}
