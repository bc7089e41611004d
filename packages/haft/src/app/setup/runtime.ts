import { fail } from "@haft/core/tool";

/**
 * Refuses unsupported runtimes, in the words of the command line (`bin/haft.mjs`). Importing this module works on them, so
 * that a program reaches this error message.
 *
 * @throws HaftError `tool_unavailable` on an old Node and on Bun.
 */
export function checkRuntime(versions: Readonly<Record<string, string | undefined>> = process.versions): void {
  if (versions.bun !== undefined)
    fail(
      "tool_unavailable",
      `Haft does not run on Bun; this is Bun ${versions.bun}. Bun does not read the pipes that commands write to, so every command would appear to print nothing. Start it with Node 22.13 or newer.`,
    );
  const [major = 0, minor = 0] = (versions.node ?? "").split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 13))
    fail(
      "tool_unavailable",
      `haft needs Node 22.13 or newer; this is v${versions.node}. Install a current Node from https://nodejs.org, or run \`nvm install 24\`, and try again.`,
    );
}
