import { fail } from "@haft/core/tool";

/**
 * The package for queues. It is installed only by those who use one.
 *
 * @throws HaftError `tool_unavailable` if it is not installed.
 */
export async function loadWorkers(): Promise<typeof import("@haft/workers")> {
  try {
    return await import("@haft/workers");
  } catch (thrown) {
    const { code, message } = thrown as Error & { code?: string };
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw thrown;
    return fail(
      "tool_unavailable",
      `A queue needs the package @haft/workers, which is not installed: ${message}`,
      "Run: npm install @haft/workers",
    );
  }
}
