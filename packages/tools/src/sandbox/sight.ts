import { type Bound, basename } from "@haft/core/tool";
import { onlyReads } from "./fence/index.ts";

/** Programs that tell about the processes and connections of the machine: alone with themselves they would be useless. */
const WATCHERS: ReadonlySet<string> = new Set(
  "ps pgrep pstree lsof fuser ss netstat who w users uptime top free vmstat".split(" "),
);

/** Whether a command that only reads looks at the machine itself. */
export const watchesMachine = (bound: Bound): boolean =>
  onlyReads(bound) &&
  bound.effects.some((effect) => effect.do === "run" && WATCHERS.has(basename(effect.argv[0] ?? "")));
