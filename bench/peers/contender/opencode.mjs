// opencode: its server, asked over HTTP as its faces ask it. Only what it answers without a model is measured.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const program = join(import.meta.dirname, "../node_modules/opencode-linux-x64/bin/opencode");
export const quiet = {
  ...{ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
};

export const open = async ({ cwd }) => {
  const env = { ...process.env, ...quiet };
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
  return {
    ops: {
      read: ({ path }) => get("/file/content", { path }),
      grep: ({ pattern }) => get("/find", { pattern }),
      definitions: () => get("/experimental/tool", { provider: "anthropic", model: "claude-sonnet-4-5" }),
    },
    async close() {
      // Over a large tree, it does not end for a long while when asked to, and would compete with the next measurement.
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
};
