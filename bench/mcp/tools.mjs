// So many tools that give back what they get, for both servers of the bench.
export const definitions = Array.from({ length: Number(process.env.BENCH_TOOLS ?? 10) }, (_, at) => ({
  name: `echo_${at}`,
  description: `Gives back the text that it gets, number ${at}.`,
  inputSchema: {
    type: "object",
    properties: { text: { type: "string", description: "The text." } },
    required: ["text"],
  },
}));

/** The same tools for Haft: `haft mcp --module`. */
export const tools = definitions.map(({ inputSchema, ...about }) => ({
  ...about,
  input: inputSchema,
  can: [],
  effects: () => [],
  run: ({ text }) => text,
}));
