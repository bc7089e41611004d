import { createHash } from "node:crypto";
import { fail, HaftError } from "@haft/core/tool";
import { createNet } from "@haft/host";

/** The names of archives: an address with such an end is downloaded, any other is a git repository. */
export const ARCHIVE = /\.(?:tgz|tar\.gz|tar|zip|mcpb|dxt)$/i;

/** Limits of a download. */
const FETCH_MS = 120_000;
const MOST_BYTES = 50_000_000;

export interface DownloadOptions {
  readonly signal: AbortSignal;
  /** The digest that the file must have, in hexadecimal. */
  readonly sha256?: string;
}

/**
 * Downloads an archive through the guarded client. A person typed the address, so it may name this machine or a private
 * network by its number; a redirect may not lead there.
 *
 * @throws HaftError `validation_failed` for plain HTTP to elsewhere, an error status, and a file with another digest.
 */
export async function download(address: string, { signal, sha256 }: DownloadOptions): Promise<Uint8Array> {
  const url = new URL(address);
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLocal)
    fail("validation_failed", `${address} is plain HTTP: it could be replaced in transit.`, "Use https.");
  const net = createNet({ privateHosts: [url.host] });
  try {
    const within = ({ url: next }: { readonly url: URL }) => next.protocol === "https:" || isLocal;
    const answer = await net.fetch(url, { maxBytes: MOST_BYTES, timeoutMs: FETCH_MS, signal, within });
    if (!answer.ok) fail("validation_failed", `${address} answers with ${answer.status}.`, "Check the address.");
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const found = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== undefined && found !== sha256.toLowerCase())
      fail(
        "validation_failed",
        `${address} has the wrong digest: ${found} instead of ${sha256}.`,
        "Nothing was unpacked. Ask its author.",
      );
    return bytes;
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    return fail("validation_failed", `The download failed: ${(thrown as Error).message}`, "Check the address.");
  } finally {
    await net.close();
  }
}
