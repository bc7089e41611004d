import { readFile } from "node:fs/promises";
import { UsageError } from "./exit-code.ts";

/** The version in the package's own manifest. */
export async function packageVersion(): Promise<string> {
  // One path for the bundle, one for the sources.
  for (const place of ["../package.json", "../../package.json"]) {
    const text = await readFile(new URL(place, import.meta.url), "utf8").catch(() => undefined);
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version;
  }
  throw new UsageError("The package's own manifest is missing.", "Install haft again.");
}
