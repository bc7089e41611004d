import { isJSONRPCRequest, type RequestId } from "@modelcontextprotocol/server";

/** An ordinary tool call: the tool, its arguments and at most a progress token. */
export interface PlainCall {
  readonly id: RequestId;
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

/**
 * Extracts the call from a message of the older protocol. `undefined`: it is another message, or unusual in some way.
 */
export function plainCall(message: unknown): PlainCall | undefined {
  if (!hasOnly(message, messageKeys) || message.jsonrpc !== "2.0" || message.method !== "tools/call") return undefined;
  const { id, params } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!hasOnly(params, paramKeys) || typeof params.name !== "string") return undefined;
  if (params.arguments !== undefined && !isObject(params.arguments)) return undefined;
  if (params._meta !== undefined && !hasOnly(params._meta, metaKeys)) return undefined;
  if (!isToken((params._meta as PlainCall["params"]["_meta"])?.progressToken)) return undefined;
  return message as unknown as PlainCall;
}

/** The request that a message cancels, if it does nothing else: a message with its own id wants an answer. */
export function cancelledRequest(message: unknown): { readonly id: RequestId; readonly reason?: string } | undefined {
  if (!isObject(message) || message.method !== "notifications/cancelled" || message.id !== undefined) return undefined;
  if (!isObject(message.params)) return undefined;
  const { requestId, reason } = message.params;
  if (typeof requestId !== "string" && typeof requestId !== "number") return undefined;
  return { id: requestId, ...(typeof reason === "string" ? { reason } : {}) };
}

/**
 * The id of a request that violates JSON-RPC or the protocol: the SDK silently drops it, and its client would wait
 * forever. `undefined`: the message is valid, or needs no answer.
 */
export function brokenRequest(message: unknown): RequestId | undefined {
  if (!isObject(message)) return undefined;
  const { id, method } = message;
  if (method === undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
  return isJSONRPCRequest(message) ? undefined : id;
}

const messageKeys = new Set(["jsonrpc", "id", "method", "params"]);
const paramKeys = new Set(["name", "arguments", "_meta"]);
const metaKeys = new Set(["progressToken"]);

const isToken = (token: unknown): boolean =>
  token === undefined || typeof token === "string" || Number.isSafeInteger(token);

function hasOnly(value: unknown, keys: ReadonlySet<string>): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
