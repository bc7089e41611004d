import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Static, TSchema } from "typebox";

/** The parsed type of a schema: what `run` receives. */
export type Infer<S> =
  S extends StandardSchemaV1<infer _Input, infer Output> ? Output : S extends TSchema ? Static<S> : unknown;
