import { UsageError } from "../../exit-code.ts";

/** The address of the queue: of `--queue`, else of `HAFT_QUEUE`. */
export function queueUrl(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const url = given ?? env.HAFT_QUEUE;
  if (url === undefined || url === "")
    throw new UsageError("Which queue?", "Name it with --queue redis://HOST:PORT, or set HAFT_QUEUE.");
  return url;
}

/** The values of an option that takes several, separated by commas. */
export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
