/** A plugin with one tool. `haft plugin add examples/extend/plugin` shows what it may do, and installs it. */
export function register(api) {
  api.registerTool({
    name: "count_words",
    description: "Counts the words of a text.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async execute(_id, { text }) {
      return { content: [{ type: "text", text: String(text.split(/\s+/).filter(Boolean).length) }] };
    },
  });
}
