import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";

/**
 * The platform module of the MCP SDK. The build uses this instead of the SDK's own file (`./_shims`), which imports Ajv: a third of all
 * code that the first server loads.
 */

/** Only in browsers `fetch` throws a TypeError for a refused foreign origin. */
export const CORS_IS_POSSIBLE = false;

/**
 * Accepts every answer as valid. A server's output schema is an untrusted promise, and a call that was made is not undone when its answer
 * breaks that promise. The model sees the answer as it is.
 */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  }
}
