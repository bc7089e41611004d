// pi: its own tools, without a session. pi asks nobody and confines nothing.
import {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createReadTool,
  createWriteTool,
  SessionManager,
} from "@mariozechner/pi-coding-agent";

export const open = async ({ cwd }) => {
  const made = [createReadTool, createBashTool, createEditTool, createWriteTool, createGrepTool, createFindTool];
  const tools = Object.fromEntries(made.map((create) => create(cwd)).map((tool) => [tool.name, tool]));
  let count = 0;
  const call = async (name, input) => {
    const { content } = await tools[name].execute(`c${++count}`, input);
    return content.map(({ text = "" }) => text).join("\n");
  };
  return {
    ops: {
      read: ({ path }) => call("read", { path }),
      glob: ({ pattern }) => call("find", { pattern }),
      grep: ({ pattern }) => call("grep", { pattern, limit: 100 }),
      edit: ({ path, from, to }) => call("edit", { path, edits: [{ oldText: from, newText: to }] }),
      shell: ({ command }) => call("bash", { command }),
      shellParallel: ({ commands }) => Promise.all(commands.map((command) => call("bash", { command }))),
      openSession: ({ file }) => SessionManager.open(file).buildSessionContext().messages.length,
      definitions: () =>
        JSON.stringify(
          Object.values(tools).map(({ name, description, parameters }) => ({ name, description, parameters })),
        ),
      result: ({ tool, input }) => call(tool, input),
    },
  };
};
