import { type Grant, normalizeHost } from "../../../policy/index.ts";
import {
  type Browser,
  type ConnectEffect,
  type Effect,
  fail,
  type Net,
  type NetHop,
  portOf,
  type WebSearchPort,
} from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

/** The network as one call gets it: the hosts of its `connect` effects, at every hop. Hosts that it only reads are sent nothing. */
export function boundNet(raw: Net, tool: string, { effects }: Grant): Net {
  const within = hopsWithin(effects);
  return {
    async fetch(address, request = {}) {
      const url = addressOf(address);
      const hop = { url, sends: isSending(request) };
      if (!within(hop)) undeclared(tool, `${hop.sends ? "send to" : "connect to"} ${url.host}`);
      return raw.fetch(url, { ...request, within });
    },
    ...(raw.check ? { check: (address: string | URL) => raw.check!(address) } : {}),
  };
}

/**
 * The browser as one call gets it: its tabs go to the hosts of the call's `connect` effects. A call that may neither
 * change the browser nor reach a host may only look.
 */
export function boundBrowser(raw: Browser, tool: string, { effects }: Grant): Browser {
  const states = effects.filter((effect) => effect.do === "state" && effect.of === "browser");
  const mayChange = states.some((effect) => effect.do === "state" && effect.change);
  return {
    ...(raw.isElsewhere ? { isElsewhere: true } : {}),
    where: (tab) => raw.where(tab),
    async act(wish, bounds) {
      if (states.length === 0) undeclared(tool, "read the browser");
      if (!mayChange && !LOOKS.has(wish.action)) undeclared(tool, `${wish.action} in the browser`);
      return raw.act(wish, { ...bounds, within: hopsWithin(effects) });
    },
  };
}

/** Searches as one call gets them: a search needs a `connect` effect for the provider's address. */
export function boundSearch(raw: WebSearchPort, tool: string, { effects }: Grant): WebSearchPort {
  return {
    ...raw,
    async find(query) {
      const hop = { url: new URL(raw.address), sends: false };
      if (!hopsWithin(effects)(hop)) undeclared(tool, `search with ${raw.provider}`);
      return raw.find(query);
    },
  };
}

/** Actions that change nothing in a page. */
const LOOKS: ReadonlySet<string> = new Set(["snapshot", "screenshot", "console", "network", "tabs"]);

function hopsWithin(effects: readonly Effect[]): (hop: NetHop) => boolean {
  const granted = effects.filter((effect) => effect.do === "connect");
  return (hop) => granted.some((effect) => covers(effect, hop));
}

const addressOf = (address: string | URL): URL =>
  URL.parse(String(address)) ??
  fail("invalid_input", `"${address}" is not an address.`, "Write the whole address: https://example.com/page.");

const isSending = ({ method = "GET", body }: { readonly method?: string; readonly body?: unknown }): boolean =>
  body !== undefined || !/^(?:get|head)$/i.test(method);

/** An effect with an address means its port; one with only a host means every port of it. */
function covers(effect: ConnectEffect, { url, sends }: NetHop): boolean {
  if (sends && !effect.sends) return false;
  if (normalizeHost(effect.host) !== normalizeHost(url.hostname)) return false;
  const port = effect.port ?? (effect.url === undefined ? undefined : portOf(new URL(effect.url)));
  // The usual ports of a host count as one site: plain HTTP commonly redirects to HTTPS.
  return port === undefined || port === portOf(url) || (isUsual(port) && isUsual(portOf(url)));
}

const isUsual = (port: number): boolean => port === 80 || port === 443;
