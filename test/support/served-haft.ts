import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Scratch, scratch } from "../../packages/haft/test/support/haft-process.ts";

/** A `haft mcp --http` that runs, with a home and a workspace of its own. */
export interface ServedHaft extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly place: Scratch;
  /** Its standard error so far. */
  readonly said: () => string;
  /** Ends it politely; resolves with its exit code. */
  end(): Promise<number | null>;
}

export async function servedHaft(args: readonly string[] = [], options: ServedOptions = {}): Promise<ServedHaft> {
  const place = options.place ?? scratch();
  const child = place.start(["mcp", "--http", "--json", ...args], options.env ?? {});
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const closed = once(child, "close");
  const started = once(createInterface({ input: child.stdout }), "line");
  const line = await Promise.race([started, closed.then(() => undefined)]);
  if (!line) throw new Error(`haft mcp ended before it served: ${errors}`);
  const { url, token = "" } = JSON.parse(line[0] as string) as { url: string; token?: string };
  const end = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await closed;
    return child.exitCode;
  };
  return {
    url,
    token,
    place,
    said: () => errors,
    end,
    async [Symbol.asyncDispose]() {
      await end();
      if (!options.place) place[Symbol.dispose]();
    },
  };
}

export interface ServedOptions {
  /** A place that goes on afterwards. */
  readonly place?: Scratch;
  readonly env?: Record<string, string>;
}
