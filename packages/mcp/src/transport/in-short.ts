/** How many places are named when an answer does not fit the protocol. */
const NAMED_PLACES = 3;

/** The SDK's message for a result of another shape, and ours for it. */
export const isMisfit = (message: string): boolean => /Invalid result for|its answer is not valid MCP/.test(message);

/** Describes a protocol mismatch, without the list of all possible types. */
export function inShort(message: string): string {
  const [, what, list] = /^(?:(Invalid result for [^:]+): )?(\[.*\])$/s.exec(message) ?? [];
  if (list === undefined) return message;
  try {
    const issues = JSON.parse(list) as readonly { readonly path: readonly unknown[]; readonly message: string }[];
    const places = issues.slice(0, NAMED_PLACES).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    return what === undefined ? "its answer is not valid MCP" : `${what}: ${places.join("; ")}`;
  } catch {
    return message;
  }
}

/** The message for a refused request: the SDK reports only the body, which may be empty. */
export function httpWords(status: number, message = ""): string {
  const body = message.replace(/^Error POSTing to endpoint:\s*/, "").trim();
  return `it answered with HTTP ${status}${body === "" ? "" : `: ${body}`}`;
}
