import { createHash } from "node:crypto";
import type { Connection } from "./connect.ts";

/** A script that Redis runs as one step. */
export type Script<T> = (redis: Connection, keys: readonly string[], ...values: (string | number)[]) => Promise<T>;

/** Sends only the digest of a script that Redis knows; its text after a restart. */
export function script<T>(text: string): Script<T> {
  const digest = createHash("sha1").update(text).digest("hex");
  return async (redis, keys, ...values) => {
    const rest = [...keys, ...values] as const;
    try {
      return (await redis.evalsha(digest, keys.length, ...rest)) as T;
    } catch (thrown) {
      if (!/^NOSCRIPT/.test((thrown as Error).message)) throw thrown;
      return (await redis.eval(text, keys.length, ...rest)) as T;
    }
  };
}
