import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A small S3-compatible store of a test. It checks the signature of each request. */
export interface TestS3 extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Answers 503 from now on, or no more. */
  down: boolean;
}

export const S3_ENV = { AWS_ACCESS_KEY_ID: "test-key", AWS_SECRET_ACCESS_KEY: "test-secret" };

/** Starts a store with one bucket. */
export async function startS3(bucket: string): Promise<TestS3> {
  const objects = new Map<string, Buffer>();
  const store = { objects, down: false, endpoint: "" };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { pathname } = new URL(request.url!, "http://x");
    const refuse = (status: number, code: string) =>
      response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    if (store.down) return refuse(503, "ServiceUnavailable");
    if (!isSigned(request, body)) return refuse(403, "SignatureDoesNotMatch");
    if (!pathname.startsWith(`/${bucket}/`)) return refuse(404, "NoSuchBucket");
    if (request.method === "PUT") {
      objects.set(pathname, body);
      return response.end();
    }
    const found = objects.get(pathname);
    return found ? response.end(found) : refuse(404, "NoSuchKey");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  store.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(store, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Recomputes the signature from the request as it arrived. */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const given = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    headers.authorization ?? "",
  );
  if (!given) return false;
  const [, id, day = "", region = "", names = "", signature] = given;
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  if (id !== S3_ENV.AWS_ACCESS_KEY_ID || headers["x-amz-content-sha256"] !== sha256(body)) return false;
  const lines = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const canonical = `${method}\n${url}\n\n${lines.join("")}\n${names}\n${sha256(body)}`;
  const text = `AWS4-HMAC-SHA256\n${headers["x-amz-date"]}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`;
  const sign = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const dayKey = sign(`AWS4${S3_ENV.AWS_SECRET_ACCESS_KEY}`, day);
  return sign(sign(sign(sign(dayKey, region), "s3"), "aws4_request"), text).toString("hex") === signature;
}
