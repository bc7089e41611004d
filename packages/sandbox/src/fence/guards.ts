import { type ProtectedPaths, protectedPaths } from "@haft/core/policy";
import { type Bound, type BoundHole, isWithin } from "@haft/core/tool";

/** The rules that decide about the names in a tree. */
export interface Guards {
  readonly protectedPaths: ProtectedPaths;
  readonly holes: readonly BoundHole[];
  /** Whether a grant names the path, or something in it, for writing. */
  isGranted(path: string): boolean;
  /** Whether a grant names the path, or something in it, for reading or writing. */
  isOpened(path: string): boolean;
  /** Whether a grant names this very path for reading. */
  isNamed(path: string): boolean;
}

/** The guards of one grant. A grant that names a protected or private file is deliberate. */
export function guardsOf({ effects, holes, hold }: Bound): Guards {
  const writes = effects.flatMap((effect) => (effect.do === "write" && !effect.unread ? [effect.path] : []));
  const reads = effects.flatMap((effect) => (effect.do === "read" ? [effect.path] : []));
  return {
    protectedPaths: protectedPaths(),
    holes,
    // A held call changes nothing real yet; its changes to protected files are judged with the rest.
    isGranted: (path) => hold === true || writes.some((named) => isWithin(path, named)),
    isNamed: (path) => reads.includes(path),
    isOpened: (path) => [...writes, ...reads].some((named) => isWithin(path, named)),
  };
}
