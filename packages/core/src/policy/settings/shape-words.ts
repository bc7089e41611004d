/** Short forms of shapes, for the schema of the settings. */
import type { Shape } from "./shape.ts";

export const object = (
  description: string,
  properties: Readonly<Record<string, Shape>>,
  rest: Shape | false = false,
): Shape => ({
  type: "object",
  description,
  properties,
  additionalProperties: rest,
});
export const flag = (description: string): Shape => ({ type: "boolean", description });
export const text = (description: string): Shape => ({ type: "string", minLength: 1, description });
export const count = (description: string, minimum = 1): Shape => ({ type: "integer", minimum, description });
export const amount = (description: string): Shape => ({ type: "number", minimum: 0, description });
export const word = (description: string, values: readonly string[]): Shape => ({
  type: "string",
  enum: values,
  description,
});
export const list = (description: string): Shape => ({
  type: "array",
  items: { type: "string", minLength: 1 },
  description,
});
export const map = (description: string, values: Shape): Shape => object(description, {}, values);
