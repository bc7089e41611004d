import { HaftError } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { bucketOf } from "./s3.ts";
import { signedHeaders } from "./sign.ts";

describe("the signature of a request to S3", () => {
  it("is the one of the example in Amazon's documentation", () => {
    const keys = { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
    const { authorization } = signedHeaders(
      {
        ...{ method: "GET", url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"), body: Buffer.alloc(0) },
        ...{ headers: { range: "bytes=0-9" }, region: "us-east-1", at: new Date("2013-05-24T00:00:00Z") },
      },
      keys,
    );
    expect(authorization).toContain("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date");
    expect(authorization).toContain("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  });
});

describe("the address of a bucket", () => {
  const env = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

  it.each([
    ["s3://results/haft", env, "https://results.s3.us-east-1.amazonaws.com/haft"],
    ["s3://results?region=eu-central-1", env, "https://results.s3.eu-central-1.amazonaws.com/"],
    ["s3://results/a/b/?endpoint=http://minio:9000/", env, "http://minio:9000/results/a/b"],
    ["s3://results", { ...env, AWS_ENDPOINT_URL_S3: "https://store" }, "https://store/results"],
  ])("reads %s", (address, given, url) => {
    expect(bucketOf(address, given).url.href).toBe(url);
  });

  it.each([
    ["s3://", env, /not an S3 bucket/],
    ["s3://id:secret@results", env, /not an S3 bucket/],
    ["ftp://results", env, /not an S3 bucket/],
    ["s3://results", {}, /has no keys/],
    ["s3://results/a b", env, /not a folder for results/],
    ["s3://results?endpoint=minio", env, /not the address of a store/],
  ])("refuses %s, and says why", (address, given, message) => {
    const thrown = (() => {
      try {
        return bucketOf(address, given);
      } catch (error) {
        return error;
      }
    })();
    expect(HaftError.is(thrown) && thrown.message).toMatch(message);
    expect(HaftError.is(thrown) && thrown.message).not.toContain("secret");
  });
});
