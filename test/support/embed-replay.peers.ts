// The place and the replayed model that the examples of examples/embed run with.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, vi } from "vitest";
import { HAFT } from "../../packages/haft/test/support/haft-process.ts";
import { call, say, streamOf } from "./anthropic-wire.ts";
import type { Turn } from "./replay-turns.ts";
import type { WireAnswer } from "./wire-server.ts";

/** A folder with one file, and a home and a state folder of its own for each case. */
export function embedPlace() {
  let base: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "haft-embed-")));
    for (const name of ["work", "home", "state"]) mkdirSync(join(base, name));
    writeFileSync(join(base, "work/a.txt"), "alpha\r\n");
    vi.stubEnv("HOME", join(base, "home"));
    vi.stubEnv("HAFT_STATE_DIR", join(base, "state"));
    vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    rmSync(base, { recursive: true, force: true });
  });
  return {
    folder: () => join(base, "work"),
    text: () => readFileSync(join(base, "work/a.txt"), "utf8"),
    /** The model reads a file, edits it, and looks at it with a command. */
    turns(prefix = ""): Turn[] {
      const file_path = join(base, "work/a.txt");
      return [
        [{ id: "call_01", name: `${prefix}Read`, input: { file_path } }],
        [{ id: "call_02", name: `${prefix}Edit`, input: { file_path, old_string: "alpha", new_string: "beta" } }],
        [{ id: "call_03", name: `${prefix}Bash`, input: { command: "tr a-z A-Z < a.txt" } }],
        "It is done.",
      ];
    },
    /** The SDK of Claude starts a program that runs the loop. Here it is `haft -p`, which speaks the SDK's protocol. */
    claude(url: string) {
      const program = join(base, "claude");
      const words = [process.execPath, ...HAFT].map((word) => `'${word}'`).join(" ");
      writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
      const env = { ...process.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${url}/v1` };
      return { pathToClaudeCodeExecutable: program, env, model: "claude-test" };
    },
  };
}

/** The turns as the program of Claude's SDK gets them. */
export const claudeTurns = (turns: readonly Turn[]): WireAnswer[] =>
  turns.map((turn) => ({
    events: streamOf(typeof turn === "string" ? [say(turn)] : turn.map(({ id, name, input }) => call(id, name, input))),
  }));

/** LangChain's model, without a provider: it answers with the next turn and remembers the conversation that it was sent. */
export class ReplayModel extends BaseChatModel {
  readonly turns: Turn[];
  sent: BaseMessage[] = [];
  constructor(turns: Turn[]) {
    super({});
    this.turns = turns;
  }
  _llmType() {
    return "replay";
  }
  override bindTools() {
    return this as never;
  }
  async _generate(messages: BaseMessage[]) {
    this.sent = messages;
    const turn = this.turns.shift()!;
    const message =
      typeof turn === "string"
        ? new AIMessage(turn)
        : new AIMessage({ content: "", tool_calls: turn.map(({ input, ...call }) => ({ ...call, args: input })) });
    return { generations: [{ text: "", message }] };
  }
}
