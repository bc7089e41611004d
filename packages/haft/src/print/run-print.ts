import { type Mode, modeNamed } from "@haft/core/policy";
import { type Content, fail } from "@haft/core/tool";
import type { AgentEnd } from "../agent/index.ts";
import type { AgentSession, AgentSessionOptions } from "../session/index.ts";
import { type ControlChannel, createControlChannel } from "./control-channel.ts";
import type { PrintFlags } from "./flags.ts";
import { createMessageWriter, type MessageWriter, mcpServers, modeName, type StreamMessage } from "./messages.ts";
import { modelName, openPrint } from "./open-print.ts";
import { createRewinder, type Rewinder } from "./rewind.ts";

type Json = Readonly<Record<string, unknown>>;

export interface PrintOptions {
  readonly flags: PrintFlags;
  readonly session: AgentSessionOptions;
  readonly version: string;
  /** The lines of the host, for `--input-format stream-json`. */
  readonly lines: AsyncIterable<string>;
  /** Writes one line. */
  readonly write: (text: string) => Promise<void> | void;
  /** Says something that belongs to no message. */
  readonly warn: (text: string) => void;
}

/** Runs print mode. Returns whether the last run succeeded. */
export async function runPrint(options: PrintOptions): Promise<boolean> {
  const { flags, warn } = options;
  if (flags.ignored.length > 0) warn(`Ignored by Haft: ${flags.ignored.join(", ")}.\n`);
  return flags.input === "stream-json" ? new Stream(options).run() : runOnce(options);
}

/** One prompt of the command line. */
async function runOnce({ flags, session: base, version, write }: PrintOptions): Promise<boolean> {
  await using session = await openPrint(flags, base, undefined);
  const writer = createMessageWriter(session, { isPartial: flags.isPartial, version });
  const isStream = flags.output === "stream-json";
  const line = (message: StreamMessage) => write(`${JSON.stringify(message)}\n`);
  if (isStream) await line(await writer.init());
  session.on((event) => {
    for (const message of writer.take(event)) if (isStream) void line(message);
  });
  const startedAt = Date.now();
  const end = await session.prompt(flags.prompt, { waitsForAgents: true });
  const result = writer.result(end, startedAt);
  if (flags.output === "text") await write(`${end.text || (end.why ?? String(result.errors ?? ""))}\n`);
  else await line(result);
  return result.is_error !== true;
}

/** A conversation with a host, line by line. */
class Stream {
  readonly #options: PrintOptions;
  readonly #channel: ControlChannel;
  #opened: Promise<AgentSession> | undefined;
  #writer: MessageWriter | undefined;
  #rewinder: Rewinder | undefined;
  #isGreeted = false;
  #isGood = true;
  readonly #told = new Set<AgentEnd>();
  readonly #runs = new Set<Promise<void>>();

  constructor(options: PrintOptions) {
    this.#options = options;
    this.#channel = createControlChannel(
      (message) => this.#send(message),
      (request) => this.#serve(request),
    );
  }

  async run(): Promise<boolean> {
    try {
      for await (const line of this.#options.lines) if (line.trim() !== "") this.#take(line);
      // Nobody can answer any more: what waits for an answer is refused, and the work ends.
      this.#channel.close();
      await Promise.all(this.#runs);
    } finally {
      const session = await this.#opened?.catch(() => undefined);
      await session?.[Symbol.asyncDispose]();
    }
    return this.#isGood;
  }

  #send(message: StreamMessage): void {
    void this.#options.write(`${JSON.stringify(message)}\n`);
  }

  #take(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line) as Json;
    } catch {
      this.#options.warn("Skipped an input line that is not JSON.\n");
      return;
    }
    if (this.#channel.take(message)) return;
    if (message.type !== "user") return;
    const run = this.#prompt(message).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  /** The session opens with the first request, or with the first prompt. */
  #open(first?: Json): Promise<AgentSession> {
    this.#opened ??= this.#begin(first);
    return this.#opened;
  }

  async #begin(first: Json = {}): Promise<AgentSession> {
    const { flags, session: base, version } = this.#options;
    const session = await openPrint(flags, base, this.#channel, first);
    this.#writer = createMessageWriter(session, { isPartial: flags.isPartial, version });
    this.#rewinder = createRewinder(session);
    session.on((event) => {
      for (const message of this.#writer!.take(event)) this.#send(message);
    });
    return session;
  }

  async #prompt(message: Json): Promise<void> {
    const startedAt = Date.now();
    try {
      const session = await this.#open();
      const { text, images } = promptOf(message);
      if (!this.#isGreeted) this.#send(await this.#writer!.init());
      this.#isGreeted = true;
      if (typeof message.uuid === "string") this.#rewinder!.begin(message.uuid);
      if (this.#options.flags.replaysUsers) this.#send({ ...message, session_id: session.id, isReplay: true });
      const end = await session.prompt(text, { withMentions: false, ...(images.length > 0 ? { images } : {}) });
      // Several prompts may have ended with one run.
      if (this.#told.has(end)) return;
      this.#told.add(end);
      const result = this.#writer!.result(end, startedAt);
      this.#isGood = result.is_error !== true;
      this.#send(result);
    } catch (thrown) {
      this.#isGood = false;
      this.#options.warn(`${(thrown as Error).message}\n`);
      const failed = { type: "result", subtype: "error_during_execution", is_error: true, num_turns: 0 };
      const none = { duration_ms: 0, duration_api_ms: 0, total_cost_usd: 0, usage: {}, modelUsage: {} };
      this.#send({ ...failed, ...none, permission_denials: [], errors: [(thrown as Error).message] });
    }
  }

  async #serve(request: Json): Promise<Json> {
    if (request.subtype === "initialize") return this.#initialize(request);
    const session = await this.#open();
    switch (request.subtype) {
      case "interrupt":
        session.interrupt();
        return {};
      case "set_permission_mode": {
        const mode = modeNamed(String(request.mode)) ?? noMode(request.mode);
        await session.setMode(mode);
        return { mode: modeName(session.haft.mode) };
      }
      case "set_model":
        if (typeof request.model === "string") await session.setModel(modelName(request.model));
        return {};
      case "mcp_status":
        return { mcpServers: mcpServers(session) };
      case "mcp_reconnect":
        await session.haft.mcp.connect(String(request.serverName));
        return {};
      case "rewind_files":
        return { ...(await this.#rewinder!.rewind(String(request.user_message_id), request.dry_run === true)) };
      case "get_context_usage":
        return { totalTokens: session.usage.contextTokens ?? 0 };
      default:
        return fail("invalid_input", `Haft does not support the request "${String(request.subtype)}".`);
    }
  }

  async #initialize(first: Json): Promise<Json> {
    const isFirst = this.#opened === undefined;
    const session = await this.#open(first);
    const name = session.model?.name ?? "none";
    return {
      commands: session
        .commands()
        .map(({ name, description, argumentHint = "" }) => ({ name, description, argumentHint })),
      ...{ agents: [], output_style: "default", available_output_styles: ["default"], account: {} },
      models: [{ value: name, displayName: name, description: session.model?.because ?? "" }],
      ...(first.hooks === undefined ? {} : { hooks_applied: isFirst }),
      hook_on_failure_supported: true,
    };
  }
}

const noMode = (mode: unknown): Mode => fail("invalid_input", `There is no mode "${String(mode)}".`);

/** The text and images of a host's message. */
function promptOf({ message }: Json): { readonly text: string; readonly images: readonly Content[] } {
  const { content } = (message ?? {}) as Json;
  if (typeof content === "string") return { text: content, images: [] };
  const blocks = Array.isArray(content) ? (content as readonly Json[]) : [];
  const text = blocks.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n");
  const images = blocks.flatMap((block): Content[] => {
    const { type, data, media_type } = (block.source ?? {}) as Json;
    return block.type === "image" && type === "base64"
      ? [{ type: "image", data: String(data), mediaType: String(media_type) }]
      : [];
  });
  return { text, images };
}
