import type { Absent, OfferContext, Tool } from "../../tool/index.ts";
import type { PolicyTool, RuleRef } from "../decision.ts";
import { closedGate, RESERVED_NAME } from "./gates.ts";
import { builtinToolNames, foldName, type ToolNames } from "./names.ts";
import type { ToolFilter } from "./profile.ts";

/** A person's settings for one tool. They override the tool's own. */
export interface ToolSetting {
  readonly enabled?: boolean;
  readonly autoExecute?: boolean;
}

/** The properties of a tool that availability reads: its origin, and its own settings. */
export interface AvailabilityTool extends PolicyTool, Pick<Tool, "enabled" | "when"> {}

/** Everything outside the tool that decides whether it exists. An absent part restricts nothing. */
export interface AvailabilityPolicy {
  /** `false`: no tool exists at all. */
  readonly enableToolCalls?: boolean;
  /** The only tools that exist; `null` or absent: all. Accepts any spelling of a name. */
  readonly useTools?: readonly string[] | null;
  /** Settings by tool name, in any spelling. */
  readonly tools?: Readonly<Record<string, ToolSetting>>;
  /** Profile, allow and deny lists. */
  readonly filter?: ToolFilter;
  /** The deny rule that forbids the tool whatever its input, e.g. `Bash` or `mcp__server`. */
  blanketDeny?(tool: PolicyTool): RuleRef | undefined;
  /** The open gates, see `openGates`. Absent: gates concern no tool. */
  readonly gates?: ReadonlySet<string>;
  /** Which names mean the same tool. Default: the built-in tools. */
  readonly names?: ToolNames;
}

/** The part that decided that a tool does not exist. */
export type AbsenceLayer =
  | "enableToolCalls"
  | "profile"
  | "allow"
  | "deny"
  | "rule"
  | "gate"
  | "tools"
  | "tool"
  | "useTools";

/** Why a tool is not offered, and which part of the settings or of the tool decided it. */
export interface Absence extends Absent {
  readonly layer: AbsenceLayer;
}

/**
 * Whether a tool exists for this request. The offer and the executor both use it, so a tool that is not listed is also
 * refused when called. It caches nothing, and counts anything that throws or returns nonsense as "no".
 */
export function availability(tool: AvailabilityTool, policy: AvailabilityPolicy, offer: OfferContext): true | Absence {
  return absenceByPolicy(tool, policy) ?? absenceByTool(tool, offer) ?? true;
}

/** A person's settings for a tool, under any of its names. A later entry for the same tool wins, except over a "no". */
export function settingOf(
  tool: PolicyTool,
  settings: Readonly<Record<string, ToolSetting>> | undefined,
  names: ToolNames = builtinToolNames,
): ToolSetting {
  if (!settings) return {};
  const isSame = sameTool(tool, names);
  const found = Object.entries(settings).filter(([name]) => isSame(name));
  return found.reduce<ToolSetting>((sum, [, setting]) => merged(sum, setting), {});
}

function absenceByPolicy(tool: AvailabilityTool, policy: AvailabilityPolicy): Absence | undefined {
  const names = policy.names ?? builtinToolNames;
  if (policy.enableToolCalls === false) return no("enableToolCalls", "tool calls are disabled (enableToolCalls)");

  const excluded = policy.filter?.exclusion(tool);
  if (excluded) return no(excluded.layer, excluded.reason);

  const rule = policy.blanketDeny?.(tool);
  if (rule) return no("rule", `the rule deny ${rule.rule}${placeOf(rule)} forbids it`);

  const closed = policy.gates && gateOf(tool, policy.gates);
  if (closed !== undefined) return no("gate", closed);

  const setting = settingOf(tool, policy.tools, names);
  if (setting.enabled === false) return no("tools", `it is disabled (tools.${tool.name}.enabled)`);
  if (tool.enabled === false && setting.enabled !== true)
    return no("tool", `off by default: set tools.${tool.name}.enabled to true`);

  const isListed = policy.useTools ? policy.useTools.some(sameTool(tool, names)) : true;
  return isListed ? undefined : no("useTools", "it is not in useTools");
}

/** Gates concern the built-in tools, and the one name that they keep for a tool of the host. */
function gateOf({ name, origin }: AvailabilityTool, open: ReadonlySet<string>): string | undefined {
  if (origin === "builtin") return closedGate(name, open);
  if (foldName(name) !== foldName(RESERVED_NAME)) return undefined;
  return origin === "custom"
    ? closedGate(RESERVED_NAME, open)
    : `only the host may define a tool named ${RESERVED_NAME}`;
}

/** The tool's own condition, evaluated each time: a port, a platform, a connected server. */
function absenceByTool(tool: AvailabilityTool, offer: OfferContext): Absence | undefined {
  if (!tool.when) return undefined;
  try {
    const answer: unknown = tool.when(offer);
    if (answer === true) return undefined;
    const why = (answer as Absent | undefined)?.absent;
    return no("tool", typeof why === "string" && why !== "" ? why : "the tool is unavailable and gives no reason");
  } catch (error) {
    return no("tool", `its condition failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether a name in any spelling means the tool. An alias that belongs to another known tool does not. */
function sameTool(tool: PolicyTool, names: ToolNames): (name: string) => boolean {
  const canonical = names.canonical(tool.name) ?? tool.name;
  const own = new Set([tool.name, ...(tool.aliases ?? [])].map(foldName));
  return (name) => {
    const meant = names.canonical(name);
    return meant === undefined ? own.has(foldName(name)) : meant === canonical;
  };
}

function merged(sum: ToolSetting, next: ToolSetting): ToolSetting {
  const both = { ...sum, ...next };
  return sum.enabled === false ? { ...both, enabled: false } : both;
}

const no = (layer: AbsenceLayer, absent: string): Absence => ({
  layer,
  absent,
  ...(layer === "rule" ? { code: "denied_by_rule" } : {}),
});

function placeOf(rule: RuleRef): string {
  if (!rule.file) return ` (${rule.origin})`;
  return ` (${rule.file}${rule.line === undefined ? "" : `:${rule.line}`})`;
}
