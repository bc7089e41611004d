// A host with a stubborn server, to be killed. Tells the server's family on standard output.
import { createRegistry } from "@haft/core/registry";
import { createMcpManager } from "../../src/manager.ts";
import { rough } from "../support/mcp.ts";

const manager = createMcpManager({ registry: createRegistry(), cwd: process.cwd() });
manager.add(rough("stubborn"));
await manager.settled();
setInterval(() => {
  for (const line of manager.logs("stubborn")) if (line.startsWith("family")) console.log(line);
}, 50);
