// Haft: all calls go through the public face, with policy, effects, record and budget, as an agent makes them.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createAgent, createHaft } from "haft";

const SETTINGS = {
  plain: { sandbox: "none", journal: { enabled: false } },
  confined: { sandbox: "bwrap", journal: { enabled: false } },
  captured: { sandbox: "none" },
  "confined and captured": { sandbox: "bwrap" },
};

export const open = async ({ cwd, home, variant = "captured", count = 0 }) => {
  const { tools, turn } = await loaded(count);
  const base = { cwd, home, stateDir: `${home}/state`, settingsFiles: false, loopGuard: false, onNotice() {} };
  const options = { ...base, env: {}, settings: SETTINGS[variant], mode: "bypassPermissions", ...tools };
  const haft = await createHaft(options);
  const call = async (name, input) => {
    const { result, error, ...rest } = await haft.call(name, input);
    if (error) throw new Error(error.message);
    return { result, ...rest };
  };
  const text = async (name, input) => {
    const answer = await call(name, input);
    return JSON.stringify(answer).length;
  };
  let session;
  return {
    ops: {
      read: ({ path }) => text("Read", { file_path: path }),
      glob: ({ pattern }) => text("Glob", { pattern }),
      grep: ({ pattern }) => text("Grep", { pattern, output_mode: "content", head_limit: 100 }),
      edit: ({ path, from, to }) => text("Edit", { file_path: path, old_string: from, new_string: to }),
      shell: ({ command }) => text("Bash", { command }),
      shellParallel: ({ commands }) => Promise.all(commands.map((command) => text("Bash", { command }))),
      nothing: (_, time) => text("Nothing", { n: time }),
      async turn(_, time) {
        session ??= await createAgent({ ...options, session: "turns", model: turn });
        return (await session.prompt(`Go on, ${time}.`)).reason;
      },
      async undo() {
        const undone = await haft.undo();
        return JSON.stringify(undone).length;
      },
      /** Writes a conversation as an earlier process would have left it. */
      async seedSession({ id, count }) {
        const seeded = await createAgent({ ...options, session: id, model: turn });
        const file = join(dirname(seeded.haft.session.path), "conversation.jsonl");
        await seeded[Symbol.asyncDispose]();
        const at = "2026-01-01T00:00:00.000Z";
        const lines = Array.from({ length: count }, (_, index) =>
          JSON.stringify({ t: "message", at, message: messageAt(index) }),
        );
        writeFileSync(file, `${lines.join("\n")}\n`);
      },
      async openSession({ id }) {
        const opened = await createAgent({ ...options, session: id, model: turn });
        const { length } = opened.messages;
        await opened[Symbol.asyncDispose]();
        return length;
      },
      decide: () => haft.explain("Bash", { command: "git status" }),
      async definitions() {
        return JSON.stringify(
          (await haft.offer()).tools.map(({ name, description, input }) => [name, description, input]),
        );
      },
      async result({ tool, input }) {
        const { content, error } = await haft.call(tool, input);
        if (error) throw new Error(error.message);
        return content.map((part) => part.text ?? "").join("\n");
      },
    },
    async close() {
      await session?.[Symbol.asyncDispose]();
      await haft[Symbol.asyncDispose]();
    },
  };
};

/** `count` tools that do nothing, as many rules, and a model that calls the first tool and then stops. */
async function loaded(count) {
  const input = { type: "object", properties: { n: { type: "number", description: "A number." } } };
  const named = (name) => ({
    ...{ name, description: "Does nothing.", input, can: [], effects: () => [], run: ({ n }) => n },
  });
  const tools = [named("Nothing"), ...Array.from({ length: Math.max(0, count - 1) }, (_, at) => named(`Tool${at}`))];
  const rules = Array.from({ length: count }, (_, at) => (at % 2 ? `Bash(command${at} *)` : `Edit(/dir${at}/**)`));
  let asked = 0;
  const turn = {
    name: "bench/none",
    async *step() {
      asked += 1;
      if (asked % 2 === 1) {
        yield { type: "part", key: "c", part: { type: "call", id: `c${asked}`, tool: "Nothing", input: { n: asked } } };
        yield { type: "finish", reason: "calls" };
      } else {
        yield { type: "part", key: "t", part: { type: "text", text: "Done." } };
        yield { type: "finish", reason: "stop" };
      }
    },
  };
  return { tools: count > 0 ? { tools, rules: { deny: rules } } : {}, turn };
}

const messageAt = (at) =>
  at % 2 === 0
    ? { role: "user", content: [{ type: "text", text: `Request ${at}: look at the tests and say what fails.` }] }
    : { role: "assistant", parts: [{ type: "text", text: `Answer ${at}: all of them pass, and here is why.` }] };
