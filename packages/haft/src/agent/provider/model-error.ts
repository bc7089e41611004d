import { HaftError } from "@haft/core/tool";

/** Where a provider is reached, for errors that name it. */
export interface ProviderPlace {
  /** The variable that holds the key. */
  readonly key: string;
  /** The variable that holds the address. */
  readonly url: string;
}

/** Failures that the next attempt meets again: nobody listens, the name is unknown, the address is no address. */
const HOPELESS: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ERR_INVALID_URL", "EPROTO"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"],
]);

/**
 * `fetch` that names the address when a server cannot be reached. Its error is final: the SDK repeats what looks like a broken
 * connection, and would say the same nine times.
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
      throw new HaftError(
        {
          code: "fetch_failed",
          message: `The model's server cannot be reached at ${address}: ${why}.`,
          hint: `Check that it runs and that ${variable} is right${process.env[variable] ? "" : " (it is not set)"}. haft doctor shows the model.`,
        },
        { cause: thrown },
      );
    }
  };

/** Why nothing better is to be expected; `undefined` where the next attempt may do. */
function hopelessness(thrown: unknown): string | undefined {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth++) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && HOPELESS.has(code)) return error.message || code;
    if (/^bad port$/i.test(error.message)) return "this port is not allowed";
    const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
    const inner = first === undefined ? undefined : hopelessness(first);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Without what may be secret in it. */
function addressOf(input: Parameters<typeof fetch>[0]): string {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  return url ? `${url.origin}${url.pathname}` : String(input);
}

/** A refusal that people can do something about says what. Anything else stays as it came. */
export function explained(error: unknown, model: string, { key }: ProviderPlace): unknown {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  const hint = hintFor(statusCode, model, key);
  if (hint === undefined || !(error instanceof Error)) return error;
  const failure = new HaftError({ code: "execution_failed", message: error.message, hint }, { cause: error });
  return Object.assign(failure, { statusCode });
}

function hintFor(status: unknown, model: string, key: string): string | undefined {
  if (status === 401) return `The server does not accept the key in ${key}. Set another one.`;
  if (status === 403) return `The key in ${key} may not use ${model}. Choose another model with --model.`;
  return status === 404 ? `The server does not know ${model}. Choose another model with --model.` : undefined;
}
