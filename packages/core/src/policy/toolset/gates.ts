import { foldName } from "./names.ts";

/** The written values of gates by name. `userType` is the type of the user; the other values turn a feature on or off. */
export type WrittenGates = Readonly<Record<string, boolean | string>>;

/** A feature that settings and the environment turn on or off, with the set of tools that belongs to it. */
export interface Gate {
  readonly name: string;
  /** Shorter names in settings. */
  readonly aliases?: readonly string[];
  /** The tools that exist only while one of their gates is open. */
  readonly tools: readonly string[];
  /** The tools that are hidden while the gate is open. */
  readonly hides?: readonly string[];
  readonly isOpen: boolean;
  /** The user types for which it is open, whatever the setting says. */
  readonly userTypes?: readonly string[];
  readonly about: string;
}

/** All gates. A tool in several sets exists if one of its gates is open. */
export const GATES: readonly Gate[] = [
  {
    name: "embeddedSearch",
    tools: [],
    hides: ["Glob", "Grep"],
    isOpen: false,
    about: "the host has its own file search",
  },
  {
    name: "todoV2",
    aliases: ["tasks"],
    tools: ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
    isOpen: true,
    about: "tasks",
  },
  { name: "worktree", tools: ["EnterWorktree", "ExitWorktree"], isOpen: true, about: "git worktrees" },
  { name: "agentSwarms", aliases: ["swarms"], tools: ["TeamCreate", "TeamDelete"], isOpen: false, about: "teams" },
  { name: "toolSearch", tools: ["ToolSearch"], isOpen: true, about: "loading tools on demand" },
  { name: "powershell", tools: ["PowerShell"], isOpen: true, about: "PowerShell, where it is installed" },
  {
    name: "COORDINATOR_MODE",
    aliases: ["coordinator"],
    tools: [],
    isOpen: false,
    about: "the main agent only starts agents, asks questions and takes notes",
  },
  { name: "KAIROS", tools: ["Sleep", "SendUserFile"], isOpen: true, about: "waiting, and files for the user" },
  { name: "WEB_BROWSER_TOOL", aliases: ["browser"], tools: ["WebBrowser"], isOpen: true, about: "the web browser" },
  { name: "HISTORY_SNIP", tools: ["Snip"], isOpen: true, about: "cutting old messages" },
  { name: "config", tools: ["Config"], isOpen: true, about: "the settings tool" },
  { name: "repl", tools: ["REPL"], isOpen: false, about: "scripts" },
  {
    name: "internal",
    tools: ["REPL", "Config", "Tungsten"],
    isOpen: false,
    userTypes: ["internal", "ant"],
    about: "tools for internal users",
  },
];

/** The name of a tool that no public source describes: a host may register one, for internal users. */
export const RESERVED_NAME = "Tungsten";

const bySpelling = /* @__PURE__ */ new Map(
  GATES.flatMap((gate) => [gate.name, ...(gate.aliases ?? [])].map((name) => [foldName(name), gate] as const)),
);

/** A gate by its name or alias, in any case. */
export const gateNamed = (name: string): Gate | undefined => bySpelling.get(foldName(name));

/** Whether a written value turns a gate on. Anything but a clear yes, or `auto`, turns it off. */
const isOn = (value: boolean | string): boolean =>
  typeof value === "boolean" ? value : /^(?:on|true|1|auto(?::\d{1,3})?)$/i.test(value.trim());

/** The names of the open gates. If two spellings of one gate disagree, it is closed. */
export function openGates(written: WrittenGates = {}): ReadonlySet<string> {
  const open = new Set(GATES.flatMap(({ name, isOpen }) => (isOpen ? [name] : [])));
  const values = Object.entries(written).map(([name, value]) => ({ gate: gateNamed(name)?.name, on: isOn(value) }));
  for (const { gate, on } of values) if (gate && on) open.add(gate);
  for (const { gate, on } of values) if (gate && !on) open.delete(gate);
  const { userType } = written;
  if (typeof userType === "string")
    for (const { name, userTypes } of GATES) if (userTypes?.includes(userType.toLowerCase())) open.add(name);
  return open;
}

/** Why a tool does not exist with these open gates; `undefined` if they do not concern it. */
export function closedGate(tool: string, open: ReadonlySet<string>): string | undefined {
  const hiding = GATES.find(({ name, hides }) => hides?.includes(tool) && open.has(name));
  if (hiding) return `${hiding.about} (gates.${hiding.name})`;
  const gates = GATES.filter(({ tools }) => tools.includes(tool));
  const [first] = gates;
  if (!first || gates.some(({ name }) => open.has(name))) return undefined;
  const key = first.userTypes ? "gates.userType" : `gates.${first.name}`;
  return `${first.about} ${first.about.endsWith("s") ? "are" : "is"} off (${key})`;
}

/** Gates as the variable HAFT_GATES writes them: `KAIROS=off, todoV2, toolSearch=auto:5`. A bare name turns one on. */
export function parseGates(text: string): WrittenGates {
  const pairs = text.split(",").flatMap((part) => {
    const [name = "", ...value] = part.trim().split("=");
    if (name === "") return [];
    const said = value.join("=").trim();
    return [[name.trim(), said === "" ? true : /^(?:off|false|0)$/i.test(said) ? false : said] as const];
  });
  return Object.fromEntries(pairs);
}
