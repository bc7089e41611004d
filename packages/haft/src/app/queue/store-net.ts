import type { Net } from "@haft/core/tool";
import { createNet } from "@haft/host";

/** Private networks: a store of results is often there, and the owner of the queue has named it. */
const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "fc00::/7", "::1/128"];

/** The guarded client for the store of results at `host`. It reaches no link-local address, such as that of a cloud's metadata. */
export const netOfStore = (host: string): Net => createNet({ privateHosts: [host, ...PRIVATE] });
