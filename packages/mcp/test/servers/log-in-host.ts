// A session of its own that calls one tool of a server that wants a login: `node log-in-host.ts TOKENFILE URL`.
import { mcpBench } from "../support/mcp.ts";

const [tokenFile, url] = process.argv.slice(2);
await using bench = mcpBench({ tokenFile: tokenFile! });
bench.manager.add({ name: "locked", url: url! });
await bench.manager.settled();
const { status } = await bench.call("mcp__locked__hello");
process.stdout.write(`${status} ${bench.manager.list()[0]?.error?.message ?? ""}\n`);
