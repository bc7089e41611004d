import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Config, HookSystem } from "@google/gemini-cli-core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { wireServer } from "../../../../../../test/support/wire-server.ts";
import { scratch } from "../../../../test/support/haft-process.ts";

const OPENCODE = fileURLToPath(
  new URL("../../../../../../test/peers/node_modules/opencode-linux-x64/bin/opencode", import.meta.url),
);
/** For a hook's command that starts the sources. */
const env = { NODE_OPTIONS: "--conditions=haft-source" };
beforeEach(() => void vi.stubEnv("NODE_OPTIONS", env.NODE_OPTIONS));
afterEach(() => void vi.unstubAllEnvs());

it("F12 the hooks of Gemini CLI call Haft, and take its answer as a question, a refusal, or nothing", {
  timeout: 60_000,
}, async () => {
  using place = scratch();
  expect((await place.haft(["hook", "install", "gemini", "--project", "--yes"], { env })).code).toBe(0);
  const { hooks } = JSON.parse(readFileSync(join(place.cwd, ".gemini/settings.json"), "utf8"));
  const at = { targetDir: place.cwd, cwd: place.cwd, trustedFolder: true };
  const config = new Config({ sessionId: "s", debugMode: false, model: "m", hooks, ...at });
  await config.storage.initialize();
  const system = new HookSystem(config);
  await system.initialize();
  const answered = async (tool: string, input: Record<string, unknown>) => {
    const output = await system.fireBeforeToolEvent(tool, input);
    return output?.isBlockingDecision() ? "deny" : output?.isAskDecision() ? "ask" : "silent";
  };
  expect(await answered("run_shell_command", { command: "git status" })).toBe("silent");
  expect(await answered("run_shell_command", { command: "rm -rf build" })).toBe("ask");
  expect(await answered("run_shell_command", { command: "sudo reboot" })).toBe("deny");
  expect(await answered("write_file", { file_path: join(place.cwd, ".git/hooks/pre-commit"), content: "x" })).toBe(
    "ask",
  );
});

/** A chunk of a streamed answer. */
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason }],
});
const says = (content: string) => ({
  style: "openai" as const,
  events: [chunk({ role: "assistant", content }), chunk({}, "stop")],
});
const calls = (id: string, command: string) => ({
  style: "openai" as const,
  events: [
    chunk({
      role: "assistant",
      tool_calls: [
        {
          ...{ index: 0, id, type: "function" },
          function: { name: "bash", arguments: JSON.stringify({ command, description: "x" }) },
        },
      ],
    }),
    chunk({}, "tool_calls"),
  ],
});

it.skipIf(!existsSync(OPENCODE))(
  "F12 opencode calls Haft before each tool, and tells its model the refusal",
  {
    timeout: 120_000,
  },
  async () => {
    using place = scratch();
    await using server = await wireServer([
      calls("t1", "echo hello > /dev/null; echo from-a-reader"),
      calls("t2", "touch made.txt"),
      says("Done."),
      says("Done."),
    ]);
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: `${server.url}/v1`, apiKey: "none" },
      models: { m: { name: "m", tool_call: true, limit: { context: 100_000, output: 4_000 } } },
    };
    place.write(
      "opencode.json",
      JSON.stringify({ model: "fake/m", small_model: "fake/m", provider: { fake: provider }, share: "disabled" }),
    );
    mkdirSync(join(place.cwd, ".git"));
    expect((await place.haft(["hook", "install", "opencode", "--project", "--yes"], { env })).code).toBe(0);
    const quiet = ["MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"];
    const run = promisify(execFile)(OPENCODE, ["run", "--title", "Try", "Do it."], {
      cwd: place.cwd,
      env: {
        ...{ ...place.env, ...env },
        // It would fetch the types of its plugins.
        ...{ npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" },
        ...Object.fromEntries(quiet.map((name) => [`OPENCODE_DISABLE_${name}`, "1"])),
      },
    });
    // It reads its input to the end before it begins.
    run.child.stdin?.end();
    await run;
    const results = server.bodies.flatMap((body) =>
      (JSON.parse(body).messages as { role: string; content: string }[]).filter(({ role }) => role === "tool"),
    );
    expect(results.map(({ content }) => content).join("\n")).toMatch(
      /from-a-reader[\s\S]*A person has to allow this first/,
    );
    expect(existsSync(join(place.cwd, "made.txt"))).toBe(false);
  },
);
