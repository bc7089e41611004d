import { fail, type Net } from "@haft/core/tool";
import { type S3Keys, signedHeaders } from "./sign.ts";
import type { ResultStore } from "./store.ts";

/** A bucket of an S3-compatible store. */
export interface Bucket {
  /** The address of the bucket and the folder in it, without a slash at the end. */
  readonly url: URL;
  readonly region: string;
  readonly keys: S3Keys;
}

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 1_000_000_000;

/**
 * The bucket that `s3://BUCKET/FOLDER?endpoint=URL&region=NAME` names, with the keys of the environment.
 *
 * @throws HaftError if the address or the keys are unusable.
 */
export function bucketOf(address: string, env: Environment): Bucket {
  const given = URL.parse(address);
  if (given?.protocol !== "s3:" || given.hostname === "" || given.username !== "" || given.password !== "")
    return fail(
      "validation_failed",
      "The address of the result store is not an S3 bucket.",
      "Write s3://BUCKET/FOLDER, with ?endpoint=URL for a store other than AWS, and put the keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env;
  if (!id || !secret)
    return fail(
      "validation_failed",
      "The result store has no keys.",
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY on every host and worker.",
    );
  const region = given.searchParams.get("region") ?? env.AWS_REGION ?? "us-east-1";
  const endpoint = given.searchParams.get("endpoint") ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const folder = given.pathname.replace(/\/+$/, "");
  if (!/^[\w./~-]*$/.test(folder))
    fail(
      "validation_failed",
      `"${folder}" is not a folder for results.`,
      "Use letters, digits, '-', '_', '.' and '~'.",
    );
  const base = endpoint
    ? `${endpoint.replace(/\/+$/, "")}/${given.hostname}`
    : `https://${given.hostname}.s3.${region}.amazonaws.com`;
  const url = URL.parse(base + folder);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    return fail("validation_failed", `"${endpoint}" is not the address of a store.`, "Write https://HOST:PORT.");
  return { url, region, keys: { id, secret, ...(token ? { token } : {}) } };
}

/** A bucket as the store of results. `net` is the guarded client. */
export function bucketStore({ url, region, keys }: Bucket, net: Net): ResultStore {
  const placeOf = (name: string): URL => new URL(`${url.href.replace(/\/$/, "")}/${name}`);

  async function send(method: "GET" | "PUT", name: string, body: Uint8Array): Promise<Response> {
    const place = placeOf(name);
    const headers = signedHeaders({ method, url: place, body, region, at: new Date() }, keys);
    const response = await net.fetch(place, {
      ...{ method, headers, redirect: "manual", maxBytes: MAX_BYTES, timeoutMs: 60_000 },
      ...(method === "PUT" ? { body } : {}),
    });
    if (response.status === 200) return response;
    const [, code = `status ${response.status}`] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? [];
    // Trying again helps only if the store itself has a problem.
    return fail(
      response.status < 500 ? "execution_failed" : "fetch_failed",
      `${url.host} answered ${code}.`,
      cureOf(code),
    );
  }

  return {
    address: (name) => placeOf(name).href,
    async put(name, bytes) {
      await (await send("PUT", name, bytes)).body?.cancel();
    },
    async get(name) {
      return Buffer.from(await (await send("GET", name, Buffer.alloc(0))).arrayBuffer());
    },
  };
}

function cureOf(code: string): string {
  if (code === "NoSuchBucket") return "Create the bucket, or correct its name.";
  if (code === "RequestTimeTooSkewed") return "Set the clock of this machine.";
  if (code === "SignatureDoesNotMatch" || code === "InvalidAccessKeyId") return "Check the keys and the region.";
  if (code === "AccessDenied") return "Allow these keys to read and write objects in the bucket.";
  return "Look at the log of the store.";
}
