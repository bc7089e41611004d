// A TLS server of this machine whose certificate nobody vouches for. Its key protects nothing.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbKUWEXb01UhzMfOb
a8/r3xzs8F8j1RFTT5fbWju88bShRANCAARJKp8J4ui6dOGonzNkiRMSWZkmhGJ/
1JTNiwh06ovW5zEYVnKtkvsV5WThQVkNfV5P1BqFS4iZTqSIGt6OfQXY
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUfnA1p+O8dFu+kPyYu4a9Vxh3fMEwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODEzMzQ1M1oYDzIxMjYxMTA0
MTMzNDUzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARJKp8J4ui6dOGonzNkiRMSWZkmhGJ/1JTNiwh06ovW5zEYVnKtkvsV
5WThQVkNfV5P1BqFS4iZTqSIGt6OfQXYo2QwYjAdBgNVHQ4EFgQUr9nam30Wm99I
HvmomJcp+1dmczgwHwYDVR0jBBgwFoAUr9nam30Wm99IHvmomJcp+1dmczgwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IEUiE8RtkLu7nPp42CHZUgY6vxhTc9CYMtahUaMb4B3MAiAHZlV43MAGKRnWbNp6
nJu5ZdH9nSS6ASHt6VE61Up9TA==
-----END CERTIFICATE-----
`;

/** A server that counts the requests that reach it. */
export async function selfSignedServer(): Promise<
  { readonly origin: string; readonly requests: string[] } & AsyncDisposable
> {
  const requests: string[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
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
