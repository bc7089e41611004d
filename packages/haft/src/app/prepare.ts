import type { Policy } from "@haft/core/policy";
import { type Processes, read, run } from "@haft/core/tool";

/** Long enough for what is sent before to have left. */
const PAUSE_MS = 20;

/** What nearly every first command is: one that looks at something in the workspace. */
const LOOK = { argv: ["ls"], text: "ls", basis: "proved", opaque: false } as const;

/**
 * Gets the sandbox tried and its first fence put up, a moment later and unless `isOver` by then: the first command finds
 * what the third would. What goes wrong is said to who really runs something.
 */
export function prepareCommands(
  { prepare }: Processes,
  { policy, cwd, isOver }: { policy(): Policy; readonly cwd: string; isOver(): boolean },
): void {
  if (!prepare) return;
  // As a grammar would show it: what a port holds has holes of its own.
  const effects = [run({ ...LOOK, cwd }), { ...read(cwd, { tree: true }), basis: "proved" as const }];
  setTimeout(() => {
    if (isOver()) return;
    const { grant } = policy().decide({ tool: { name: "prepare", origin: "builtin" }, input: {}, effects });
    prepare({ cwd, bound: grant }).catch(() => undefined);
  }, PAUSE_MS).unref();
}

/** Gets the search for tools ready, in pieces between which others have their turn. Whoever searches finds it, or ends it. */
export function prepareSearch(prepare: (pause: () => Promise<void>) => Promise<void>, isOver: () => boolean): void {
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) throw new Error("the session is over");
  };
  setTimeout(() => {
    if (!isOver()) prepare(pause).catch(() => undefined);
  }, PAUSE_MS).unref();
}
