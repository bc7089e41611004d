import { defineTool, read, state, write } from "@haft/core/tool";

const path = { type: "string", description: "A path." } as const;

/** Toy tools over the ports, small enough to reason about and real enough to get wrong. */
export const Get = defineTool({
  name: "Get",
  description: "Reads a file.",
  input: { type: "object", properties: { path }, required: ["path"] } as const,
  can: ["read"],
  effects: ({ path }) => [read(path)],
  run: async ({ path }, { ports, cwd }) => (await ports.files.text(`${cwd}/${path}`)).text,
});

export const Put = defineTool({
  name: "Put",
  description: "Writes a file.",
  input: {
    type: "object",
    properties: { path, text: { type: "string", description: "What to write." } },
    required: ["path", "text"],
  } as const,
  can: ["write"],
  effects: ({ path }) => [write(path)],
  async run({ path, text }, { ports, cwd }) {
    await ports.files.write(`${cwd}/${path}`, text);
    return `wrote ${path}`;
  },
});

/** Reads and writes back with something added: two at once would lose one. */
export const Append = defineTool({
  name: "Append",
  description: "Adds to a file.",
  input: {
    type: "object",
    properties: { path, text: { type: "string", description: "What to add." } },
    required: ["path", "text"],
  } as const,
  can: ["read", "write"],
  effects: ({ path }) => [read(path), write(path, "modify")],
  async run({ path, text }, { ports, cwd }) {
    const before = await ports.files.text(`${cwd}/${path}`);
    await ports.files.write(`${cwd}/${path}`, before.text + text);
    return `${path} now has ${before.text.length + text.length} characters`;
  },
});

/** Counts in the session's state. */
export const Count = defineTool({
  name: "Count",
  description: "Counts.",
  input: { type: "object", properties: {} } as const,
  can: ["state"],
  effects: () => [state("count")],
  run: async (_, { ports }) => {
    const next = (ports.state.get<number>("count") ?? 0) + 1;
    ports.state.set("count", next);
    return next;
  },
});
