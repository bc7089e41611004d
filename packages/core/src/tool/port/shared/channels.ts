/** The port to channels: ways to reach people and programs, set up by the user. */

/** A channel, as a model may know it. Its address and its keys stay with the host. */
export interface ChannelInfo {
  readonly name: string;
  /** `terminal`, `file`, `webhook`, `smtp`, `slack`, `discord`, `telegram`, or a plugin's own word. */
  readonly type: string;
  /** The recipient if a message names none. */
  readonly to?: string;
  /** Whether messages to us can be read. */
  readonly canRead: boolean;
  /** The recipient must be this one: the channel reaches nobody else. */
  readonly isFixed: boolean;
}

/** A message to send. */
export interface OutboundMessage {
  readonly text: string;
  readonly to?: string;
  /** For channels with a subject line. */
  readonly subject?: string;
}

/** A sent message. */
export interface SentMessage {
  readonly channel: string;
  readonly to?: string;
  /** Parts that it was cut into, because the channel limits the length of a message. */
  readonly parts: number;
  /** The id that the service gave it. */
  readonly id?: string;
}

/** A message that somebody sent to us. It is a stranger's text. */
export interface InboundMessage {
  readonly from: string;
  readonly text: string;
  /** ISO 8601, where the service says it. */
  readonly at?: string;
}

/** The channels of a session. An unknown name fails with `invalid_input` and the known ones. */
export interface Channels {
  list(): readonly ChannelInfo[];
  /**
   * Sends a message once. Fails with `fetch_failed` if the service is not there or refuses, `limit_reached` if it wants
   * fewer messages, and `outcome_unknown` if the connection broke after the message was on its way.
   */
  send(channel: string, message: OutboundMessage, signal?: AbortSignal): Promise<SentMessage>;
  /** The latest messages to us, oldest first. Fails with `tool_unavailable` for a channel that only sends. */
  read(channel: string, limit: number, signal?: AbortSignal): Promise<readonly InboundMessage[]>;
}

/** A channel of a host or plugin. */
export interface ChannelDriver extends Omit<ChannelInfo, "name" | "canRead"> {
  send(message: OutboundMessage, signal?: AbortSignal): Promise<Pick<SentMessage, "parts" | "id">>;
  read?(limit: number, signal?: AbortSignal): Promise<readonly InboundMessage[]>;
}
