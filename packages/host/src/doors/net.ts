/** @module The guarded network below the port: proxies, addresses, causes of failures. */
export { haftErrorIn, rootOf } from "../net/cause.ts";
export { guardedAgent } from "../net/dispatcher.ts";
export { type LoopbackProxy, startLoopbackProxy, startProxy } from "../net/proxy.ts";
export { systemLookup } from "../net/reach.ts";
export { type Zone, zoneOf } from "../net/zone.ts";
