import { type JsonSchema, type Schema, toSchema } from "@haft/core/schema";

type StandardResult = Awaited<ReturnType<Schema["~standard"]["validate"]>>;

/**
 * The input schema of a remote tool. Only checks that finish quickly run here: the server validates the input itself. Models write `null`
 * for an optional field that they leave out, and servers refuse that. So such a field is removed if the schema does not allow `null`.
 *
 * @throws SchemaError when the schema cannot be used.
 */
export function remoteInput(json: JsonSchema, what: string): Schema {
  const schema = toSchema(json, what, { isForeign: true });
  const standard = schema["~standard"];
  const required = new Set(Array.isArray(json.required) ? json.required : []);
  function orWithoutNulls(first: StandardResult, value: unknown) {
    if (first.issues === undefined || !isRecord(value)) return first;
    const rest = Object.fromEntries(
      Object.entries(value).filter(([key, field]) => field !== null || required.has(key)),
    );
    return Object.keys(rest).length === Object.keys(value).length ? first : standard.validate(rest);
  }

  return {
    json,
    get checked() {
      return schema.checked ?? json;
    },
    "~standard": {
      ...standard,
      validate(value: unknown) {
        const first = standard.validate(value);
        return first instanceof Promise
          ? first.then((result) => orWithoutNulls(result, value))
          : orWithoutNulls(first, value);
      },
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
