import { type Basis, type Effect, isWithin, type Location, resolve } from "../tool/index.ts";

export interface Settling {
  readonly cwd: string;
  /** On what the tool's word rests; what a tool claims never becomes more than claimed. */
  readonly basis: Basis;
  locate(path: string): Promise<Location>;
}

/**
 * Effects as they are judged: every path at its real location (and as it was named), changes named by what is there
 * now, a tree that is a single file no longer a tree.
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
 * Whether an effect of the list bounds an access to this real path. What may be changed may be read, as a change starts from what is
 * there and is shown as a difference to it; that is why a rule against reading forbids writing too. A removal reads nothing.
 */
export function bounds(effects: readonly Effect[], access: "read" | "write", path: string): boolean {
  return effects.some(
    (effect) =>
      (effect.do === access || (access === "read" && effect.do === "write" && effect.change !== "delete")) &&
      (effect.path === path || (effect.tree === true && isWithin(effect.path, path))),
  );
}
