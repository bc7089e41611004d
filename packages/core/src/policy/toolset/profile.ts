import { fail } from "../../tool/index.ts";
import type { Origin, PolicyTool } from "../decision.ts";
import { checkToolList, type EntryProblem, expandToolGroups } from "./groups.ts";
import { builtinToolNames, normalizeToolName, type ToolNames } from "./names.ts";
import { allowSelector, denySelector, type Selector } from "./selector.ts";

/** The profiles that `policy.profile` may name, narrowest first. */
export const profileNames = ["minimal", "coding", "messaging", "full"] as const;

/** One of them. */
export type ProfileName = (typeof profileNames)[number];

/**
 * Tools and groups of each profile. A profile is a filter: tools that it does not name are absent, MCP and
 * custom tools included. `full` has no list: it allows everything.
 */
export const TOOL_PROFILES: Readonly<Record<ProfileName, readonly string[] | undefined>> = {
  minimal: ["session_status"],
  /** Files, programs and sessions, and Haft's search and planning tools. Web and messages are absent. */
  coding: ["group:fs", "group:files", "group:runtime", "group:shells", "group:sessions", "group:search", "group:plan"],
  messaging: ["group:messaging", "sessions_list", "session_status"],
  full: undefined,
};

/**
 * Which tools exist, by name: a profile, then an allow list, then a deny list. Each can only remove tools. An absent
 * allow list allows everything, an empty one nothing.
 */
export interface ToolPolicy {
  readonly profile?: ProfileName;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** A tool policy with the place where a person can change it. */
export interface SourcedToolPolicy extends ToolPolicy {
  readonly origin?: Origin;
  readonly file?: string;
}

/** The step that removed a tool, and the reason in words. */
export interface PolicyExclusion {
  readonly layer: "profile" | "allow" | "deny";
  readonly entry?: string;
  readonly reason: string;
}

/** A compiled list of tool policies. */
export interface ToolFilter {
  /** `undefined` when the tool passes, otherwise the first step that removes it. */
  exclusion(tool: PolicyTool): PolicyExclusion | undefined;
}

interface Step {
  readonly layer: PolicyExclusion["layer"];
  readonly where: string;
  readonly selector: Selector;
  readonly label: string;
}

/**
 * Compiles tool policies. All of them apply, one after the other, so a later one can never restore a removed tool.
 *
 * @throws HaftError `validation_failed` when a list names an unknown tool, group or profile.
 */
export function createToolFilter(
  policies: readonly SourcedToolPolicy[],
  names: ToolNames = builtinToolNames,
): ToolFilter {
  const [problem] = policies.flatMap((policy) => checkToolPolicy(policy, names)).filter((p) => p.severity === "error");
  if (problem) fail("validation_failed", problem.message, problem.cure);
  const steps = policies.flatMap((policy) => stepsOf(policy, names));
  return { exclusion: (tool) => firstExclusion(steps, tool) };
}

/** Whether a policy lets a tool exist, by name alone. Accepts any spelling of the name. */
export function isToolAllowedByPolicy(
  toolName: string,
  policy: ToolPolicy,
  names: ToolNames = builtinToolNames,
): boolean {
  const name = normalizeToolName(toolName, names);
  const origin = name.startsWith("mcp__") ? "mcp" : "builtin";
  return createToolFilter([policy], names).exclusion({ name, origin }) === undefined;
}

/** All problems of a tool policy, entry by entry. */
export function checkToolPolicy(policy: ToolPolicy, names: ToolNames = builtinToolNames): EntryProblem[] {
  const { profile } = policy;
  const unknownProfile: EntryProblem[] =
    profile === undefined || profileNames.includes(profile)
      ? []
      : [
          {
            entry: String(profile),
            message: `There is no profile "${String(profile)}".`,
            cure: `Use one of ${profileNames.join(", ")}.`,
            severity: "error",
          },
        ];
  return [...unknownProfile, ...checkToolList(policy.allow ?? [], names), ...checkToolList(policy.deny ?? [], names)];
}

/** Why a profile would leave no tool at all: the tools that it names do not exist. `undefined` if it leaves some. */
export function emptyProfile(profile: ProfileName, names: ToolNames = builtinToolNames): string | undefined {
  const members = TOOL_PROFILES[profile] && expandToolGroups(TOOL_PROFILES[profile], names);
  if (!members?.every((name) => names.facts(name)?.isPlanned)) return undefined;
  return `The profile "${profile}" leaves no tool: ${members.join(", ")} ${members.length > 1 ? "do" : "does"} not exist in this version.`;
}

function stepsOf(policy: SourcedToolPolicy, names: ToolNames): Step[] {
  const where = placeOf(policy);
  const profile = policy.profile && TOOL_PROFILES[policy.profile];
  const steps: Step[] = [];
  if (profile)
    steps.push({ layer: "profile", where, selector: allowSelector(profile, names), label: `"${policy.profile}"` });
  if (policy.allow) steps.push({ layer: "allow", where, selector: allowSelector(policy.allow, names), label: "" });
  if (policy.deny) steps.push({ layer: "deny", where, selector: denySelector(policy.deny, names), label: "" });
  return steps;
}

function firstExclusion(steps: readonly Step[], tool: PolicyTool): PolicyExclusion | undefined {
  for (const { layer, where, selector, label } of steps) {
    const hit = selector.select(tool);
    if (layer === "deny") {
      if (!hit) continue;
      const because = hit.because ? `: ${hit.because}` : "";
      return { layer, entry: hit.entry, reason: `policy.deny${where} lists "${hit.entry}"${because}` };
    }
    if (hit) continue;
    const reason =
      layer === "profile"
        ? `the profile ${label}${where} does not include it`
        : `policy.allow${where} does not list it`;
    return { layer, reason };
  }
  return undefined;
}

function placeOf(policy: SourcedToolPolicy): string {
  if (policy.file) return ` (${policy.file})`;
  return policy.origin ? ` (${policy.origin})` : "";
}
