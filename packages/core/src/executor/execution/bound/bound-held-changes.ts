import type { Grant } from "../../../policy/index.ts";
import type { HeldChanges } from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

/**
 * Held changes as one call gets them. Reading them needs the state `held`, discarding them its change. Making them real
 * needs a granted write for every path that would change.
 */
export function boundHeld(raw: HeldChanges, tool: string, { effects, holes }: Grant): HeldChanges {
  const states = effects.filter((effect) => effect.do === "state" && effect.of === "held");
  const mayWrite = (path: string): boolean =>
    effects.some((effect) => effect.do === "write" && effect.path === path) &&
    !holes.some((hole) => hole.do === "write" && hole.matches(path));
  return {
    list: () => raw.list(),
    find: (id) => raw.find(id),
    async diff(id) {
      if (states.length === 0) undeclared(tool, "read held changes");
      return raw.diff(id);
    },
    async commit(id, digest) {
      const detail = await raw.find(id);
      const closed = detail?.paths.find(({ path }) => !mayWrite(path));
      if (closed) undeclared(tool, `write ${closed.path}`);
      return raw.commit(id, digest);
    },
    async discard(id) {
      if (!states.some((effect) => effect.do === "state" && effect.change)) undeclared(tool, "discard held changes");
      return raw.discard(id);
    },
  };
}
