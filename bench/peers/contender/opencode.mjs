// opencode: its server, asked over HTTP as its faces ask it. Only its model can call its tools: a scripted one reads results.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const program = join(import.meta.dirname, "../node_modules/opencode-linux-x64/bin/opencode");
export const quiet = {
  ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

export const open = async ({ cwd }) => {
  const model = await scriptedModel();
  const config = { provider: { scripted: model.provider }, permission: { "*": "allow" } };
  const env = { ...process.env, ...quiet, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
  const child = spawn(program, ["serve", "--port", "0"], { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  let url;
  const listening = (async () => {
    for await (const line of lines) {
      url = /http:\/\/\S+/.exec(line)?.[0];
      if (url) return;
    }
    throw new Error("opencode serve ended before it listened");
  })();
  await listening;
  const get = async (path, query) => {
    const answer = await fetch(`${url}${path}?${new URLSearchParams({ ...query, directory: cwd })}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text;
  };
  const post = async (path, body) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
    return answer.json();
  };
  let session;
  /** The text that the model reads after its call, and the time between the two. */
  const called = async (tool, input) => {
    session ??= await post("/session", {});
    model.say({ tool, input });
    const chosen = { providerID: "scripted", modelID: "m" };
    await post(`/session/${session.id}/message`, { model: chosen, parts: [{ type: "text", text: "Go on." }] });
    return model.result();
  };
  return {
    ops: {
      read: ({ path }) => get("/file/content", { path }),
      grep: ({ pattern }) => get("/find", { pattern }),
      definitions: () => get("/experimental/tool", { provider: "anthropic", model: "claude-sonnet-4-5" }),
      async glob({ pattern }) {
        const { text, ms } = await called("glob", { pattern });
        if (!text.includes(".md")) throw new Error(text);
        return { ms };
      },
      edit: async ({ path, from, to }) => {
        const { text, ms } = await called("edit", { filePath: path, oldString: from, newString: to });
        if (!text.includes("applied")) throw new Error(text);
        return { ms };
      },
      result: async ({ tool, input }) => (await called(tool, input)).text,
    },
    async close() {
      model.close();
      // Over a large tree, it does not end for a long while when asked to, and would compete with the next measurement.
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
};

/** A model on this machine: it calls the tool that it is told to, and keeps the result that it gets. */
async function scriptedModel() {
  let call;
  let calledAt;
  let result;
  const server = createServer(async (request, response) => {
    const { messages, tools } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const last = messages.at(-1);
    if (last.role === "tool") result ??= { text: last.content, ms: performance.now() - calledAt };
    response.setHeader("content-type", "text/event-stream");
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "s", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    // Requests without tools are for the title of the session.
    const isCall = last.role !== "tool" && tools !== undefined;
    const wanted = { name: call.tool, arguments: JSON.stringify(call.input) };
    send(isCall ? { tool_calls: [{ index: 0, id: "c", type: "function", function: wanted }] } : { content: "Done." });
    send({}, isCall ? "tool_calls" : "stop");
    response.end("data: [DONE]\n\n");
    if (isCall) calledAt = performance.now();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const options = { baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "none" };
  return {
    provider: { npm: "@ai-sdk/openai-compatible", options, models: { m: { tool_call: true } } },
    say(next) {
      [call, result] = [next, undefined];
    },
    result() {
      if (result === undefined) throw new Error(`${call.tool} gave no result`);
      return result;
    },
    close: () => server.close(),
  };
}
