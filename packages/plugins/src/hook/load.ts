import { type Condition, compileCondition } from "@haft/core/hook";
import type { HooksSettings, SettingsProblem, Workspace } from "@haft/core/policy";
import { HOOK_EVENTS } from "@haft/core/policy/settings";
import { type Handler, readHandler } from "./handler.ts";
import { type Matcher, misspeltTool, readMatcher } from "./matcher.ts";
import { EVENT_RULES, isLive, type LiveEvent } from "./occasion.ts";

/** One handler and the events that it matches. */
export interface Entry {
  readonly handler: Handler;
  readonly matches: Matcher;
  readonly condition?: Condition;
}

export interface Loaded {
  readonly entries: ReadonlyMap<LiveEvent, readonly Entry[]>;
  /** Every entry that will not work as written, each with its cure. */
  readonly problems: readonly SettingsProblem[];
}

type Report = (path: readonly (string | number)[], message: string, cure: string) => void;

/** Reads the hooks of the settings. Starts and rejects nothing; reports what cannot work. */
export function loadHooks(settings: HooksSettings, workspace: Workspace): Loaded {
  const problems: SettingsProblem[] = [];
  const report: Report = (path, message, cure) =>
    problems.push({
      severity: "warning",
      file: "settings",
      path: ["hooks", ...path.map(String)],
      message: `hooks.${path.join(".")}: ${message}`,
      cure,
    });
  const entries = new Map<LiveEvent, readonly Entry[]>();
  for (const event of HOOK_EVENTS) {
    const groups = settings[event] ?? [];
    if (groups.length === 0) continue;
    if (isLive(event)) entries.set(event, loadEvent(event, groups, workspace, report));
    else report([event], `${event} never happens in Haft; its hooks do not run.`, "Remove them, or use another event.");
  }
  return { entries, problems };
}

function loadEvent(
  event: LiveEvent,
  groups: NonNullable<HooksSettings[LiveEvent]>,
  workspace: Workspace,
  report: Report,
): Entry[] {
  return groups.flatMap((group, at) => {
    const { matches, problem } = readMatcher(group.matcher);
    const odd = problem ?? (EVENT_RULES[event].onCall ? misspeltTool(group.matcher) : undefined);
    if (odd) report([event, at, "matcher"], odd.message, odd.cure);
    return group.hooks.flatMap((written, index) => {
      const path = [event, at, "hooks", index];
      const { handler, complaint } = readHandler(event, written);
      if (complaint) report(path, complaint.message, complaint.cure);
      if (!handler) return [];
      if (written.if === undefined) return [{ handler, matches }];
      if (!EVENT_RULES[event].onCall) {
        report(path, `A hook of ${event} with "if" never runs: there is no call to look at.`, 'Remove "if".');
        return [];
      }
      const compiled = compileCondition(String(written.if), workspace);
      if ("condition" in compiled) return [{ handler, matches, condition: compiled.condition }];
      report(path, `${compiled.problem.message} The hook runs for every call.`, compiled.problem.cure);
      return [{ handler, matches }];
    });
  });
}
