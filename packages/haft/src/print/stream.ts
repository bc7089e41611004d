import { type Mode, modeNamed } from "@haft/core/policy";
import { type Content, fail } from "@haft/core/tool";
import type { AgentSession, AgentSessionOptions } from "../session/index.ts";
import { type ControlChannel, createControlChannel } from "./control-channel.ts";
import type { PrintFlags } from "./flags.ts";
import type { HostServers } from "./host-servers.ts";
import { createMessageQueue, type HostMessage, type MessageQueue } from "./message-queue.ts";
import {
  agentsOf,
  createMessageWriter,
  type MessageWriter,
  modeName,
  type StreamMessage,
  unsentResult,
} from "./messages.ts";
import { modelName, openPrint } from "./open-print.ts";
import { printCommands, printTurn } from "./print-turn.ts";
import { createRewinder, type Rewinder } from "./rewind.ts";

type Json = Readonly<Record<string, unknown>>;

/** The options of print mode. */
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

/** A conversation with a host, line by line. */
export class Stream {
  readonly #options: PrintOptions;
  readonly #channel: ControlChannel;
  readonly #queue: MessageQueue = createMessageQueue((message, signal) => this.#turn(message, signal));
  #opened: Promise<AgentSession> | undefined;
  #writer: MessageWriter | undefined;
  #servers: HostServers | undefined;
  /** The model with which the session began. */
  #model: string | undefined;
  #rewinder: Rewinder | undefined;
  /** Messages that ask nothing: they go along with the next that asks. */
  readonly #silent: HostMessage[] = [];
  #results = 0;
  #isGood = true;

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
      await this.#queue.drained();
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
    if (this.#channel.take(message) || message.type !== "user") return;
    this.#silent.push(message);
    if (message.shouldQuery !== false) this.#queue.push(joined(this.#silent.splice(0)));
  }

  /** The session opens with the first request, or with the first prompt. */
  #open(first?: Json): Promise<AgentSession> {
    this.#opened ??= this.#begin(first);
    return this.#opened;
  }

  async #begin(first: Json = {}): Promise<AgentSession> {
    const { flags, session: base, version } = this.#options;
    const { session, servers } = await openPrint(flags, base, this.#channel, first);
    this.#servers = servers;
    this.#writer = createMessageWriter(session, { isPartial: flags.isPartial, version, servers: servers.status });
    this.#model = session.model?.name;
    this.#rewinder = createRewinder(session);
    session.on((event) => {
      for (const message of this.#writer!.take(event)) this.#send(message);
    });
    return session;
  }

  /** The turn of a message, from its init to its result. */
  async #turn(message: HostMessage, signal: AbortSignal): Promise<void> {
    const startedAt = Date.now();
    try {
      const session = await this.#open();
      const writer = this.#writer!;
      this.#send(await writer.init());
      if (typeof message.uuid === "string") this.#rewinder!.begin(message.uuid);
      if (this.#options.flags.replaysUsers) this.#send({ ...message, session_id: session.id, isReplay: true });
      const { text, images } = promptOf(message);
      const options = { signal, withMentions: false, ...(images.length > 0 ? { images } : {}) };
      const { end, output } = await printTurn(session, text, options);
      if (output !== undefined) this.#send(writer.output(output));
      // An interrupt is the host's own wish.
      this.#finish(message, writer.result(end, startedAt), end.reason !== "cancelled");
    } catch (thrown) {
      const { message: why } = thrown as Error;
      this.#options.warn(`${why}\n`);
      this.#finish(message, unsentResult(why), !signal.aborted);
    }
  }

  #finish({ uuid }: HostMessage, result: StreamMessage, counts: boolean): void {
    this.#isGood = !counts || result.is_error !== true;
    const answered = typeof uuid === "string" ? { user_message_uuid: uuid, user_message_uuids: [uuid] } : {};
    this.#send({ ...result, ...answered, queued_turn_count: this.#queue.waiting, result_index: this.#results++ });
  }

  async #serve(request: Json): Promise<Json> {
    switch (request.subtype) {
      case "initialize":
        return this.#initialize(request);
      case "interrupt":
        return { ...this.#queue.interrupt(request.cancel_queued === true) };
      case "cancel_async_message":
        return { cancelled: this.#queue.withdraw(String(request.message_uuid)) };
      default:
        return this.#serveOpen(request, await this.#open());
    }
  }

  async #serveOpen(request: Json, session: AgentSession): Promise<Json> {
    switch (request.subtype) {
      case "set_permission_mode": {
        const mode = modeNamed(String(request.mode)) ?? noMode(request.mode);
        await session.setMode(mode);
        return { mode: modeName(session.haft.mode) };
      }
      case "set_model":
        await this.#setModel(request.model, session);
        return {};
      case "mcp_status":
        return { mcpServers: this.#servers!.status() };
      case "mcp_toggle":
        await this.#servers!.toggle(String(request.serverName), request.enabled === true);
        return {};
      case "mcp_set_servers":
        return this.#servers!.set((request.servers ?? {}) as Readonly<Record<string, Json>>);
      // As with the flag of this name.
      case "set_max_thinking_tokens":
        return {};
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

  /** Without a name, or as `default`, the model is the one with which the session began. */
  async #setModel(wanted: unknown, session: AgentSession): Promise<void> {
    const isNamed = typeof wanted === "string" && wanted !== "default";
    const name = isNamed ? modelName(wanted) : this.#model;
    if (name !== undefined) await session.setModel(name);
  }

  async #initialize(first: Json): Promise<Json> {
    const isFirst = this.#opened === undefined;
    const session = await this.#open(first);
    const name = session.model?.name ?? "none";
    return {
      commands: printCommands(session).map(({ name, description, argumentHint = "" }) => ({
        ...{ name, description, argumentHint },
      })),
      ...{ agents: agentsOf(session), output_style: "default", available_output_styles: ["default"], account: {} },
      models: [{ value: name, displayName: name, description: session.model?.because ?? "" }],
      ...(first.hooks === undefined ? {} : { hooks_applied: isFirst }),
      ...(first.mcpServers === undefined ? {} : { mcp_servers_applied: isFirst }),
      hook_on_failure_supported: true,
    };
  }
}

const noMode = (mode: unknown): Mode => fail("invalid_input", `There is no mode "${String(mode)}".`);

/** Several messages as the last of them. */
function joined(messages: readonly HostMessage[]): HostMessage {
  const last = messages.at(-1)!;
  if (messages.length === 1) return last;
  return { ...last, message: { role: "user", content: messages.flatMap(({ message }) => blocksOf(message)) } };
}

function blocksOf(message: unknown): readonly Json[] {
  const { content } = (message ?? {}) as Json;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Json[]) : [];
}

/** The text and images of a host's message. */
function promptOf({ message }: Json): { readonly text: string; readonly images: readonly Content[] } {
  const blocks = blocksOf(message);
  const text = blocks.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\n");
  const images = blocks.flatMap((block): Content[] => {
    const { type, data, media_type } = (block.source ?? {}) as Json;
    return block.type === "image" && type === "base64"
      ? [{ type: "image", data: String(data), mediaType: String(media_type) }]
      : [];
  });
  return { text, images };
}
