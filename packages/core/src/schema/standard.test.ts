import Type from "typebox";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { lazySchema, toSchema } from "./schema.ts";
import type { Infer, JsonSchema, Schema } from "./standard.ts";

// The compiler checks these: a wrong type fails `npm run typecheck`.
describe("Infer", () => {
  it("B01 a Zod schema yields its parsed type, defaults included", () => {
    const schema = z.object({ path: z.string(), limit: z.number().optional(), mode: z.enum(["a", "b"]).default("a") });
    expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
      path: string;
      limit?: number | undefined;
      mode: "a" | "b";
    }>();
    const length = z.object({ text: z.string().transform((text) => text.length) });
    expectTypeOf<Infer<typeof length>>().toEqualTypeOf<{ text: number }>();
  });

  it("B02 a TypeBox schema yields its static type", () => {
    const schema = Type.Object({
      file_path: Type.String({ description: "The file." }),
      offset: Type.Optional(Type.Number()),
      limit: Type.Optional(Type.Number()),
    });
    type Read = Infer<typeof schema>;
    expectTypeOf<Read>().toEqualTypeOf<{ file_path: string; offset?: number; limit?: number }>();
  });

  it("B03 a JSON Schema literal yields what it describes", () => {
    const schema = {
      type: "object",
      properties: {
        input: { type: "string" },
        count: { type: "integer" },
        mode: { enum: ["fast", "slow"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["input", "mode"],
    } as const;
    type Value = Infer<typeof schema>;
    expectTypeOf<Value["input"]>().toEqualTypeOf<string>();
    expectTypeOf<Value["mode"]>().toEqualTypeOf<"fast" | "slow">();
    expectTypeOf<Value["count"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Value["tags"]>().toEqualTypeOf<string[] | undefined>();
  });

  it("B04 a JSON Schema known only at run time yields unknown", () => {
    expectTypeOf<Infer<JsonSchema>>().toEqualTypeOf<unknown>();
    expectTypeOf<Infer<Record<string, unknown>>>().toEqualTypeOf<unknown>();
  });

  it("B07 a schema in Haft's form keeps its type, a lazy one too", () => {
    expectTypeOf<Infer<Schema<{ a: 1 }>>>().toEqualTypeOf<{ a: 1 }>();
    const lazy = lazySchema(() => z.object({ path: z.string() }));
    expectTypeOf(lazy).toEqualTypeOf<Schema<{ path: string }>>();
    expectTypeOf(toSchema<{ a: 1 }>(lazy, "tool T")).toEqualTypeOf<Schema<{ a: 1 }>>();
  });
});
