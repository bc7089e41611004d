import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";

/**
 * What the MCP SDK takes from its platform. The build puts this in the place of the SDK's own (`./_shims`), which brings Ajv: a
 * third of all that there is to load at the first server.
 */

/** Only browsers turn a refused foreign origin into a TypeError of `fetch`. */
export const CORS_IS_POSSIBLE = false;

/**
 * Takes every answer for valid. What a server has promised of its answers is a stranger's word, and a call that was made does
 * not become undone when its answer breaks it: the model sees the answer as it is.
 */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  }
}
