import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { StaticDecode, TSchema } from "typebox";
import type { XStatic } from "typebox/schema";
import type { TypeBoxSchema } from "./standard.ts";

/**
 * The parsed type of a schema: what `run` receives. A JSON Schema written as a literal (`as const`, or in place) is
 * read as a type too; one whose keywords are not known to the compiler is `unknown`.
 */
export type Infer<S> =
  S extends StandardSchemaV1<infer _Input, infer Output>
    ? Output
    : string extends keyof S
      ? unknown
      : S extends TypeBoxSchema
        ? StaticDecode<S & TSchema>
        : XStatic<S>;
