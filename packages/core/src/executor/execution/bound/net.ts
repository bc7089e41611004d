import { type Grant, normalizeHost } from "../../../policy/index.ts";
import { type ConnectEffect, fail, type Net, type NetHop, portOf } from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

/** The network as one call gets it: the hosts of its `connect` effects, at every hop, and nothing is sent to those it only reads. */
export function boundNet(raw: Net, tool: string, { effects }: Grant): Net {
  const granted = effects.filter((effect) => effect.do === "connect");
  const within = (hop: NetHop): boolean => granted.some((effect) => covers(effect, hop));
  return {
    async fetch(address, request = {}) {
      const url = addressOf(address);
      const hop = { url, sends: isSending(request) };
      if (!within(hop)) undeclared(tool, `${hop.sends ? "send to" : "connect to"} ${url.host}`);
      return raw.fetch(url, { ...request, within });
    },
  };
}

const addressOf = (address: string | URL): URL =>
  URL.parse(String(address)) ??
  fail("invalid_input", `"${address}" is not an address.`, "Write all of it: https://example.com/page.");

const isSending = ({ method = "GET", body }: { readonly method?: string; readonly body?: unknown }): boolean =>
  body !== undefined || !/^(?:get|head)$/i.test(method);

/** An effect that names an address means its port; one that names a host alone means every port of it. */
function covers(effect: ConnectEffect, { url, sends }: NetHop): boolean {
  if (sends && !effect.sends) return false;
  if (normalizeHost(effect.host) !== normalizeHost(url.hostname)) return false;
  const port = effect.port ?? (effect.url === undefined ? undefined : portOf(new URL(effect.url)));
  // A site that answers on the usual ports is one site: plain HTTP commonly redirects to HTTPS.
  return port === undefined || port === portOf(url) || (isUsual(port) && isUsual(portOf(url)));
}

const isUsual = (port: number): boolean => port === 80 || port === 443;
