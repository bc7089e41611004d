// A process that fetches many addresses at the same time, and then says how much memory that took, in MB.
import type { createHaft as Create } from "../../src/app/create-haft.ts";

const [module = "", cwd = "", home = "", origin = "", count = ""] = process.argv.slice(2);
const { createHaft } = (await import(module)) as { readonly createHaft: typeof Create };
await using haft = await createHaft({ cwd, home, rules: { allow: ["WebFetch"] } });
const before = process.memoryUsage.rss();
let bytes = 0;
const watch = setInterval(() => {
  bytes = Math.max(bytes, process.memoryUsage().arrayBuffers);
}, 5);
const fetches = Array.from({ length: Number(count) }, (_, at) => haft.call("WebFetch", { url: `${origin}/${at}` }));
const results = await Promise.all(fetches);
clearInterval(watch);
const texts = results.map(
  ({ output, error }) => error?.message ?? (output as { readonly text: string }).text.slice(0, 30),
);
const peak = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ texts, grown: (peak - before) / 1e6, buffers: bytes / 1e6 }));
