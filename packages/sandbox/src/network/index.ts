/** @module The network of a confined command: its granted hosts, through a checking proxy. */
export { inwardRelayArgv, PUBLISHER_SOCKET } from "./inward.ts";
export { type Publisher, startPublisher } from "./publisher.ts";
export { PROXY_SOCKET, proxyVariables, relayArgv } from "./relay.ts";
