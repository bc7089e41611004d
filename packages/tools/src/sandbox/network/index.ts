/** @module The network of a confined command: the hosts that it was granted, through a proxy that checks. */
export { inwardRelayArgv, PUBLISHER_SOCKET } from "./inward.ts";
export { type Publisher, startPublisher } from "./publisher.ts";
export { PROXY_SOCKET, proxyVariables, relayArgv } from "./relay.ts";
