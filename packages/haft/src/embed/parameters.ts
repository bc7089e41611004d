import { type Schema, toParameters } from "@haft/core/schema";
import { flatRoot } from "@haft/core/schema/dialect";

/**
 * The tool's schema for the model, without a check: the framework would answer a misfit in its own words, or replace the
 * input. The pipeline checks it.
 */
export function openSchema(input: Schema): Schema {
  const json = () => ({ ...flatRoot(toParameters(input.json)) });
  return {
    get json() {
      return json();
    },
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
