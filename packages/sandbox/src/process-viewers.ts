import { onlyReads } from "@haft/core/policy";
import { type Bound, basename } from "@haft/core/tool";

/** Programs that report the machine's processes and connections: they are useless if they see only themselves. */
const WATCHERS: ReadonlySet<string> = new Set(
  "ps pgrep pstree lsof fuser ss netstat who w users uptime top free vmstat".split(" "),
);

/** Whether a command that only reads inspects the machine itself. */
export const viewsProcesses = (bound: Bound): boolean =>
  onlyReads(bound) &&
  bound.effects.some((effect) => effect.do === "run" && WATCHERS.has(basename(effect.argv[0] ?? "")));
