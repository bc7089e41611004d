import type { Policy } from "@haft/core/policy";
import { type Processes, read, run, type Scripts } from "@haft/core/tool";

/** Milliseconds to wait, so that earlier requests have been sent. */
const PAUSE_MS = 20;

/** Stands for nearly every first command: one that looks at something in the workspace. */
const LOOK = { argv: ["ls"], text: "ls", basis: "proved", opaque: false } as const;

/**
 * Probes the sandbox and prepares its first fence, a moment later and unless `isOver` by then. The first command then runs
 * as fast as the third. A failure is reported to the first real command instead.
 */
export function prepareCommands(
  { prepare }: Processes,
  { policy, cwd, isOver }: { policy(): Policy; readonly cwd: string; isOver(): boolean },
): void {
  if (!prepare) return;
  // Effects as a grammar would report them: a port's own effects have holes.
  const effects = [run({ ...LOOK, cwd }), { ...read(cwd, { tree: true }), basis: "proved" as const }];
  setTimeout(() => {
    if (isOver()) return;
    const { grant } = policy().decide({ tool: { name: "prepare", origin: "builtin" }, input: {}, effects });
    prepare({ cwd, bound: grant }).catch(() => undefined);
  }, PAUSE_MS).unref();
}

/** Prepares the tool search in steps that yield to other work. A search meanwhile finds it ready, or finishes it. */
export function prepareSearch(prepare: (pause: () => Promise<void>) => Promise<void>, isOver: () => boolean): void {
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) throw new Error("the session is over");
  };
  setTimeout(() => {
    if (!isOver()) prepare(pause).catch(() => undefined);
  }, PAUSE_MS).unref();
}

/** Starts the interpreter of scripts, a moment later and unless `isOver` by then. */
export function prepareScripts(scripts: Scripts | undefined, isOver: () => boolean): void {
  if (!scripts?.prepare) return;
  setTimeout(() => {
    if (!isOver()) scripts.prepare?.();
  }, PAUSE_MS).unref();
}
