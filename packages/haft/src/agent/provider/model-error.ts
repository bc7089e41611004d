import { HaftError } from "@haft/core/tool";

/** The settings of a provider's address, for errors that name it. */
export interface ProviderPlace {
  /** The environment variable of the API key. */
  readonly key: string;
  /** The environment variable of the base URL. */
  readonly url: string;
}

/** Errors that a retry would meet again: connection refused, unknown host, invalid address. */
const HOPELESS: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ERR_INVALID_URL", "EPROTO"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"],
]);

/**
 * A `fetch` whose error names the address of a server that cannot be reached. The error is final, and has no cause: the SDK
 * looks for connection errors among the causes, retries them, and would report the same one nine times.
 */
export const reachingFetch =
  ({ url: variable }: ProviderPlace, from: typeof fetch = fetch): typeof fetch =>
  async (input, init) => {
    try {
      return await from(input, init);
    } catch (thrown) {
      const why = hopelessness(thrown);
      if (why === undefined) throw thrown;
      const address = addressOf(input);
      throw new HaftError({
        code: "fetch_failed",
        message: `The model's server cannot be reached at ${address}: ${why}.`,
        hint: `Check that it runs and that ${variable} is right${process.env[variable] ? "" : " (it is not set)"}. haft doctor shows the model.`,
      });
    }
  };

/** Why a retry is hopeless; `undefined` if the next attempt may succeed. */
function hopelessness(thrown: unknown): string | undefined {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth++) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && HOPELESS.has(code)) return error.message || code;
    if (/^bad port$/i.test(error.message)) return "the port is blocked";
    const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
    const inner = first === undefined ? undefined : hopelessness(first);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The address without parts that may be secret. */
function addressOf(input: Parameters<typeof fetch>[0]): string {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  return url ? `${url.origin}${url.pathname}` : String(input);
}

/**
 * Explains a refusal that people can do something about. Returns any other error unchanged.
 *
 * @param tools The names of the tools of the request, in its order.
 */
export function explained(error: unknown, model: string, { key }: ProviderPlace, tools: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  const last = lastAttempt(error);
  if (last) return givenUp(last);
  const { statusCode } = error as { readonly statusCode?: unknown };
  const tool = statusCode === 400 ? refusedTool(error.message, tools) : undefined;
  const message = tool === undefined ? error.message : `The server refuses the tool ${tool}: ${error.message}`;
  const hint =
    tool === undefined
      ? hintFor(statusCode, model, key)
      : `Correct the input schema of ${tool}, or leave the tool out: "tools": {"${tool}": {"enabled": false}} in the settings.`;
  if (hint === undefined) return error;
  return Object.assign(new HaftError({ code: "execution_failed", message, hint }, { cause: error }), { statusCode });
}

/** The error of the last attempt, if the SDK has tried several times. */
function lastAttempt(error: Error): Error | undefined {
  const { lastError } = error as { readonly lastError?: unknown };
  return error.name === "AI_RetryError" && lastError instanceof Error ? lastError : undefined;
}

function givenUp(last: Error): HaftError {
  const { statusCode } = last as { readonly statusCode?: number };
  const what = statusCode === 429 ? "limits requests" : statusCode ? `answers with status ${statusCode}` : "fails";
  const message = `The model's server ${what}, also after several attempts: ${last.message}`;
  const hint = "Send the prompt again later, or choose another model with --model.";
  return Object.assign(new HaftError({ code: "execution_failed", message, hint }, { cause: last }), { statusCode });
}

/** The tool whose definition a provider refuses: Anthropic, OpenAI and Gemini give its place in the request. */
function refusedTool(message: string, tools: readonly string[]): string | undefined {
  const place =
    /\bfunction_declarations\[(\d+)\]/.exec(message) ??
    /\btools\.(\d+)\./.exec(message) ??
    /\btools\[(\d+)\]/.exec(message);
  if (place) return tools[Number(place[1])];
  const name = /\bfunction '([^']+)'/.exec(message)?.[1];
  return tools.find((tool) => tool === name);
}

function hintFor(status: unknown, model: string, key: string): string | undefined {
  if (status === 401) return `The server rejected the key in ${key}. Set another one.`;
  if (status === 403) return `The key in ${key} has no access to ${model}. Choose another model with --model.`;
  return status === 404 ? `The server does not have ${model}. Choose another model with --model.` : undefined;
}
