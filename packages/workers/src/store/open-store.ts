import type { Net } from "@haft/core/tool";
import { folderStore } from "./folder.ts";
import { bucketOf, bucketStore } from "./s3.ts";
import type { ResultStore } from "./store.ts";

/** Needs of a store besides its address. */
export interface StoreNeeds {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes the guarded client that reaches the host of the store, also in a private network. */
  readonly netFor?: (host: string) => Net;
}

/** Opens the store at a folder or at `s3://…`. @throws HaftError if it cannot be used. */
export function openStore(address: string | undefined, { env, netFor }: StoreNeeds): ResultStore | undefined {
  if (address === undefined) return undefined;
  if (!address.includes("://")) return folderStore(address);
  const bucket = bucketOf(address, env);
  if (!netFor) throw new Error("A store on a server needs `netFor`.");
  return bucketStore(bucket, netFor(bucket.url.host));
}
