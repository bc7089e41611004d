import { Agent, buildConnector } from "undici";
import { blocked, type Reach } from "./reach.ts";
import { plainAddress } from "./zone.ts";

/** Connect timeout in milliseconds. */
const CONNECT_MS = 10_000;

/**
 * Connects only to checked addresses. undici does not call a resolver for an IP address in a URL,
 * so the check happens before its connector, and again on the socket that it returns.
 */
export function guardedAgent(reach: Reach): Agent {
  return new Agent({
    connect: (options, done) => {
      connectChecked(reach, options, done).catch((thrown: Error) => done(thrown, null));
    },
    // Calls have their own timeouts that consider people and progress. A notification stream may be silent for hours.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function connectChecked(
  reach: Reach,
  options: buildConnector.Options,
  done: buildConnector.Callback,
): Promise<void> {
  const host = options.hostname.replace(/^\[|\]$/g, "");
  const port = Number(options.port || (options.protocol === "https:" ? 443 : 80));
  const found = await reach.resolve(host, port);
  if ("refused" in found) throw blocked(found);
  const addresses = found.addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const connect = buildConnector({
    timeout: CONNECT_MS,
    autoSelectFamily: true,
    lookup: (_, { all }, answer) => {
      const [first] = addresses;
      if (all) answer(null, addresses);
      else answer(null, first?.address ?? "", first?.family ?? 0);
    },
  });
  const checked = new Set(found.addresses.map(plainAddress));
  connect(options, (...outcome) => {
    const [error, socket] = outcome;
    if (error || !socket) return done(...outcome);
    const peer = plainAddress(socket.remoteAddress ?? "");
    if (checked.has(peer)) return done(null, socket);
    socket.destroy();
    done(
      blocked({ refused: `${host} was answered by ${peer || "nobody"}, which is not an address that was checked.` }),
      null,
    );
  });
}
