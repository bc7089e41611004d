// A TLS server of this machine whose certificate nobody vouches for.
import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A new key and its certificate, one PEM text after the other. */
const keyAndCertificate = (): string =>
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "-", "-out", "-"],
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );

/** A server that counts the requests that reach it. */
export async function selfSignedServer(): Promise<
  { readonly origin: string; readonly requests: string[] } & AsyncDisposable
> {
  const requests: string[] = [];
  const pem = keyAndCertificate();
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end("secret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
