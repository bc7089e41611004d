import { type Basis, type Effect, isWithin, type Location, resolve } from "../tool/index.ts";

export interface Settling {
  readonly cwd: string;
  /** The basis of the tool's declaration. A tool's claim never becomes more than claimed. */
  readonly basis: Basis;
  locate(path: string): Promise<Location>;
}

/**
 * Prepares effects for judgement. Every path gets its real location and keeps its given name. Changes are named by the
 * current state. A tree that is a single file is no longer a tree.
 */
export function settleEffects(
  declared: readonly Effect[],
  settling: Settling,
): readonly Effect[] | Promise<readonly Effect[]> {
  if (declared.length === 0) return declared;
  if (!declared.some((effect) => effect.do === "read" || effect.do === "write")) {
    return declared.map((effect) => ground(effect, settling.basis));
  }
  return Promise.all(declared.map(async (effect) => ground(await place(effect, settling), settling.basis)));
}

function ground(effect: Effect, basis: Basis): Effect {
  return basis === "claimed" && effect.basis !== "claimed" ? { ...effect, basis } : effect;
}

async function place(effect: Effect, { cwd, locate }: Settling): Promise<Effect> {
  if (effect.do !== "read" && effect.do !== "write") return effect;
  const as = effect.as ?? resolve(cwd, effect.path);
  const there = await locate(as);
  const { tree, ...rest } = effect;
  const located = { ...rest, path: there.path, as, ...(tree && there.kind !== "file" ? { tree: true } : {}) };
  if (located.do === "read") return located;
  return { ...located, change: changeOf(located.change, there.kind === "missing") };
}

function changeOf(change: Extract<Effect, { do: "write" }>["change"], missing: boolean) {
  if (missing && (change === "replace" || change === "modify")) return "create";
  if (!missing && change === "create") return "replace";
  return change;
}

/**
 * Whether an effect of the list permits access to this real path. Permission to change includes reading, because a
 * change starts from the current content and is shown as a diff to it. Therefore a rule against reading also forbids
 * writing. A removal reads nothing.
 */
export function bounds(effects: readonly Effect[], access: "read" | "write", path: string): boolean {
  return effects.some(
    (effect) =>
      (effect.do === access || (access === "read" && effect.do === "write" && effect.change !== "delete")) &&
      (effect.path === path || (effect.tree === true && isWithin(effect.path, path))),
  );
}
