import type { PolicyTool, RuleSource, Workspace } from "../../src/policy/index.ts";
import { type Effect, run } from "../../src/tool/index.ts";

/** A workspace in `/ws`, with what a test wants otherwise. */
export const workspaceWith = (more: Partial<Workspace> = {}): Workspace => ({
  root: "/ws",
  startedIn: "/ws",
  cwd: "/ws",
  home: "/home/me",
  additional: [],
  platform: "linux",
  ...more,
});

export const bash: PolicyTool = { name: "Bash", origin: "builtin" };
export const proved = (effect: Effect): Effect => ({ ...effect, basis: "proved" });
export const claimed = (effect: Effect): Effect => ({ ...effect, basis: "claimed" });

/** A command that was read, word by word. */
export const command = (text: string, more: object = {}): Effect => ({
  ...run({ argv: text.split(" "), text, cwd: "/ws", basis: "proved" }),
  ...more,
});

export const rule = (
  behavior: RuleSource["behavior"],
  text: string,
  origin: RuleSource["origin"] = "cli",
): RuleSource => ({ behavior, origin, text });
