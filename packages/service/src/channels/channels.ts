import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type ChannelDriver, type ChannelInfo, type Channels, type Clock, fail, type Net } from "@haft/core/tool";
import { httpChannel } from "./http-channel.ts";
import type { ChannelSettings, Environment } from "./settings.ts";
import { smtpChannel } from "./smtp-channel.ts";

/** The settings of the channels and the parts of the host that they need. */
export interface ChannelsOptions {
  readonly settings: Readonly<Record<string, ChannelSettings>>;
  /** Channels of the host and of plugins. A channel of the settings with the same name wins. */
  readonly drivers?: Readonly<Record<string, ChannelDriver>>;
  readonly env: Environment;
  readonly net: Net;
  readonly clock: Clock;
  /** Shows a text to the person at this session. */
  tell(text: string): void;
}

/** Most messages to one channel within a minute. A loop of a model must not flood people. */
const MOST_PER_MINUTE = 20;

/** The channels of the settings, and `terminal`: the person at this session. */
export function createChannels({ settings, drivers = {}, env, net, clock, tell }: ChannelsOptions): Channels {
  const pause = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal);
  const made = Object.entries(settings).map(([name, one]): [string, ChannelDriver] => {
    if (one.type === "file") return [name, fileChannel(name, one, clock)];
    if (one.type === "smtp") return [name, smtpChannel(name, one, env)];
    return [name, httpChannel({ name, settings: one, env, net, pause })];
  });
  const all = new Map<string, ChannelDriver>([
    ["terminal", terminalChannel(tell)],
    ...Object.entries(drivers),
    ...made,
  ]);
  const times = new Map<string, number[]>();

  const driverOf = (name: string): ChannelDriver =>
    all.get(name) ??
    fail("invalid_input", `There is no channel "${name}".`, `Channels: ${[...all.keys()].join(", ")}.`);

  function count(name: string): void {
    const now = clock.now();
    const recent = (times.get(name) ?? []).filter((at) => now - at < 60_000);
    if (recent.length >= MOST_PER_MINUTE)
      fail(
        "limit_reached",
        `Channel "${name}" got ${MOST_PER_MINUTE} messages within a minute. This one was not sent.`,
        "Put several messages into one, and wait.",
      );
    times.set(name, [...recent, now]);
  }

  return {
    list: () =>
      [...all].map(
        ([name, { type, to, isFixed, read }]): ChannelInfo => ({
          ...{ name, type, isFixed, canRead: read !== undefined },
          ...(to === undefined ? {} : { to }),
        }),
      ),
    async send(name, message, signal) {
      const driver = driverOf(name);
      const to = message.to ?? driver.to;
      count(name);
      const sent = await driver.send({ ...message, ...(to === undefined ? {} : { to }) }, signal);
      return { channel: name, ...(to === undefined ? {} : { to }), ...sent };
    },
    async read(name, limit, signal) {
      const { read } = driverOf(name);
      if (!read) return fail("tool_unavailable", `Channel "${name}" only sends.`, "Read another one.");
      return read(limit, signal);
    },
  };
}

const terminalChannel = (tell: (text: string) => void): ChannelDriver => ({
  type: "terminal",
  isFixed: true,
  async send({ text }) {
    tell(text);
    return { parts: 1 };
  },
});

/** A file of the user's choice: one JSON line a message. */
const fileChannel = (name: string, { file, to }: ChannelSettings, clock: Clock): ChannelDriver => ({
  ...{ type: "file", isFixed: false },
  ...(to === undefined ? {} : { to }),
  async send(message) {
    if (file === undefined)
      return fail("validation_failed", `Channel "${name}" has no file.`, 'Write "file" in the settings.');
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...message })}\n`, {
      mode: 0o600,
    });
    return { parts: 1 };
  },
});
