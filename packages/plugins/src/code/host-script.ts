/**
 * The program in which a plugin's module runs, a process of its own. It speaks JSON lines on its standard input and output:
 * `ready` with the registered tools, then `result` or `failed` for each `call`. It ends when its input does. The text of the
 * module is passed to Node as an argument, so that no file is needed at run time.
 */
export const HOST_SCRIPT = `
import { createInterface } from "node:readline";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
const [entry, ours] = process.argv.slice(-2);
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const send = (message) => write(JSON.stringify(message) + "\\n");
const instead = (name) =>
  /^openclaw\\/plugin-sdk/.test(name) ? "@haft/core/compat/agent-tool"
  : /^@sinclair\\/typebox$/.test(name) ? "typebox"
  : /^(?:typebox|zod|haft|@haft\\/core)(?:\\/|$)/.test(name) ? name : undefined;
registerHooks?.({
  resolve(name, context, next) {
    try { return next(name, context); } catch (thrown) {
      const other = instead(name);
      if (other === undefined) throw thrown;
      return next(other, { ...context, parentURL: ours });
    }
  },
});
const tools = new Map();
const add = (given) => {
  const tool = typeof given === "function" ? given({ config: {}, workspaceDir: process.cwd() }) : given;
  for (const one of Array.isArray(tool) ? tool : [tool]) {
    if (typeof one?.name !== "string" || typeof one.execute !== "function")
      throw new Error("registerTool needs a tool with a name and an execute function");
    tools.set(one.name, one);
  }
};
const quiet = () => {};
const api = new Proxy(
  { registerTool: add, logger: { info: console.error, warn: console.error, error: console.error, debug: quiet }, config: {}, pluginConfig: {} },
  { get: (target, key) => target[key] ?? (typeof key === "string" && /^(?:register|on)/.test(key) ? quiet : undefined) },
);
const schemaOf = (parameters) =>
  parameters?.["~standard"]?.jsonSchema?.input?.({ target: "draft-2020-12" }) ?? parameters ?? { type: "object" };
const running = new Map();
async function call({ id, name, input }) {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const tool = tools.get(name);
    if (!tool) throw new Error("the plugin no longer registers " + name);
    send({ t: "result", id, output: await tool.execute(id, input, abort.signal, (partial) => send({ t: "update", id, partial })) });
  } catch (thrown) {
    send({ t: "failed", id, message: String(thrown?.message ?? thrown) });
  } finally {
    running.delete(id);
  }
}
try {
  const module = await import(pathToFileURL(entry).href);
  const plugin = module.default ?? module;
  const register = typeof plugin === "function" ? plugin : (plugin.register ?? plugin.activate ?? module.register);
  if (typeof register !== "function") throw new Error("it exports no function that registers tools");
  await register.call(plugin, api);
  send({ t: "ready", tools: [...tools.values()].map(({ name, label, description, parameters }) => ({ name, label, description, parameters: schemaOf(parameters) })) });
} catch (thrown) {
  send({ t: "broken", message: String(thrown?.stack ?? thrown).split("\\n").slice(0, 3).join(" ") });
  process.exit(1);
}
createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line.trim() === "") return;
    const message = JSON.parse(line);
    if (message.t === "call") void call(message);
    else running.get(message.id)?.abort();
  })
  .on("close", () => process.exit(0));
`;
