import { type CallContext, defineTool, type Memory, type MemoryEntry, state, text } from "@haft/core/tool";
import { diffDisplay } from "../support/diff.ts";
import { entryWords } from "../support/session/memory-words.ts";
import { needs, portOf } from "../support/session/needs.ts";

const input = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["save", "update", "delete", "list"],
      description: "Default: save with a fact, else list.",
    },
    fact: { type: "string", minLength: 1, maxLength: 2000, description: "For save and update: one sentence." },
    id: { type: "string", minLength: 1, maxLength: 40, description: "For update and delete: the id of the entry." },
    scope: {
      type: "string",
      enum: ["project", "user"],
      description: "For save: project (default), or user: all projects.",
    },
  },
  additionalProperties: false,
} as const;

/** The output of Memory, for programs. */
interface MemoryOutput {
  readonly action: "save" | "update" | "delete" | "list";
  readonly entries: readonly MemoryEntry[];
}

interface Wish {
  readonly action?: MemoryOutput["action"];
  readonly fact?: string;
  readonly id?: string;
  readonly scope?: MemoryEntry["scope"];
}

const actionOf = ({ action, fact }: Wish): MemoryOutput["action"] => action ?? (fact === undefined ? "list" : "save");

/** Memory: saves, changes and deletes facts that later sessions know. */
export const memory = defineTool({
  name: "Memory",
  aliases: ["MemoryTool", "save_memory"],
  title: "Memory",
  searchHint: "memory remember fact preference save forget note later session",
  description: [
    "Saves a fact that later sessions should know: a preference of the user, a decision, a command of this project.",
    "One short, lasting sentence. Nothing secret, and nothing that the repository says.",
  ].join("\n"),
  input,
  offer: "always",
  can: ["state"],
  when: needs("memory", "this session does not store anything on disk"),
  prompt: (ctx) => ctx.memory,
  effects: (wish) => [state("memory", { change: actionOf(wish) !== "list" })],
  validate(wish) {
    const action = actionOf(wish);
    if ((action === "save" || action === "update") && wish.fact === undefined)
      return { message: `${action} needs a fact.`, hint: "Give fact: one sentence." };
    return (action === "update" || action === "delete") && wish.id === undefined
      ? { message: `${action} needs the id of an entry.`, hint: 'Call Memory with action "list" for the ids.' }
      : undefined;
  },
  object(wish, { ports }) {
    const action = actionOf(wish);
    const from = action === "list" ? [] : (ports.memory?.strangers() ?? []);
    // If nobody is there, an addition is set aside.
    return from.length > 0 && (ports.memory?.isAttended || action !== "save")
      ? { behavior: "ask", reason: `This session has read untrusted content: ${from.slice(0, 5).join(", ")}.` }
      : undefined;
  },
  preview: async (wish, { ports }) => shown(wish, await entryFor(wish, portOf(ports, "memory"))),
  describe: (wish) => ({
    title: `${TITLES[actionOf(wish)]}${wish.fact === undefined ? "" : `: ${wish.fact}`}`,
    activity: "Using the memory",
  }),
  async run(wish, ctx): Promise<MemoryOutput> {
    const port = portOf(ctx.ports, "memory");
    const action = actionOf(wish);
    return action === "list"
      ? { action, entries: await port.list() }
      : { action, entries: [await act(action, wish, port, ctx)] };
  },
  sources: ({ entries }) => entries.flatMap(({ sources = [] }) => sources),
  toModel: ({ action, entries }) => [text(reply(action, entries))],
  toDisplay: ({ entries }) => ({
    kind: "table",
    columns: ["id", "fact"],
    rows: entries.map(({ id, text }) => [id, text]),
  }),
});

const TITLES = {
  save: "Save to memory",
  update: "Change memory",
  delete: "Delete from memory",
  list: "List memory",
} as const;

function act(
  action: "save" | "update" | "delete",
  { fact = "", id = "", scope = "project" }: Wish,
  port: Memory,
  { call, agent }: CallContext,
): Promise<MemoryEntry> {
  const by = { call: call.id, agent: agent.name ?? agent.id };
  if (action === "save") return port.add({ text: fact, scope }, by);
  return action === "update" ? port.change(id, fact, by) : port.remove(id, by);
}

const entryFor = async ({ id }: Wish, port: Memory): Promise<MemoryEntry | undefined> =>
  id === undefined ? undefined : port.get(id);

const shown = ({ fact = "", scope = "project", ...wish }: Wish, entry: MemoryEntry | undefined) =>
  diffDisplay(
    `memory of the ${entry?.scope ?? scope}`,
    entry ? `${entry.text}\n` : "",
    actionOf({ fact, ...wish }) === "delete" ? "" : `${fact}\n`,
  );

function reply(action: MemoryOutput["action"], entries: readonly MemoryEntry[]): string {
  if (action === "list") return entries.length === 0 ? "The memory is empty." : entries.map(entryWords).join("\n");
  const [entry] = entries;
  if (entry?.isAside)
    return `Set aside as ${entry.id}, because this session has read untrusted content. It takes effect after the user has reviewed it: haft memory show ${entry.id}.`;
  return `${{ save: "Saved", update: "Changed", delete: "Deleted" }[action]}: ${entry?.id}. Later sessions will know.`;
}
