import { createHmac, hash } from "node:crypto";

/** Keys of an account at an S3-compatible store. */
export interface S3Keys {
  readonly id: string;
  readonly secret: string;
  /** Belongs to keys that expire. */
  readonly token?: string;
}

/** A request to sign. */
export interface Unsigned {
  readonly method: string;
  readonly url: URL;
  readonly body: Uint8Array;
  /** Further headers to sign, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly region: string;
  readonly at: Date;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The headers of a request with its AWS Signature, version 4. */
export function signedHeaders(
  { method, url, body, headers = {}, region, at }: Unsigned,
  keys: S3Keys,
): Record<string, string> {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const digest = hash("sha256", body);
  const sent: Record<string, string> = {
    ...headers,
    "x-amz-content-sha256": digest,
    "x-amz-date": time,
    ...(keys.token === undefined ? {} : { "x-amz-security-token": keys.token }),
  };
  const signed = Object.entries({ host: url.host, ...sent }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonical = [method, url.pathname, "", lines, names, digest].join("\n");
  const wanted = ["AWS4-HMAC-SHA256", time, scope, hash("sha256", canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${keys.secret}`);
  const signature = hmac(key, wanted).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}
