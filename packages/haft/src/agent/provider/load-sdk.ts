import { fail } from "@haft/core/tool";

/**
 * Loads an SDK that a host installs itself; the command line brings its own.
 *
 * @throws HaftError `validation_failed` when the package is not installed.
 */
export async function loadSdk<Sdk>(name: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    return fail(
      "validation_failed",
      `This model needs the package ${name}, which is not installed.`,
      `Run: npm install ${name === "ai" ? name : `ai ${name}`}`,
    );
  }
}
