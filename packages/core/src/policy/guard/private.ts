/** Environment files that hold no secrets: they are the pattern for those that do. */
const SAMPLE_ENV = /\.(?:example|sample|template|dist|defaults?|schema)$/i;
const KEY_FILE = /^(?:\.netrc|_netrc|\.git-credentials|\.pgpass|\.pypirc|id_(?:rsa|dsa|ecdsa|ed25519))$/i;
/** Private keys and the stores that hold them; of `.pem` files those that are no certificates by their name. */
const KEY_ENDS = /\.(?:key|p12|pfx|jks|keystore|kdbx|ppk)$|(?<!cert|chain|bundle|ca|pub|public|csr)\.pem$/i;
const KEY_FOLDERS: ReadonlySet<string> = new Set([".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"]);

/** Whether a file is private by its name, wherever it lies: `.env`, `.env.local`, keys; not `.env.example`. */
export function isPrivatePath(path: string): boolean {
  const parts = path.split("/");
  const name = ofCopy(parts.at(-1) ?? "");
  if (/^\.env(?:\..+)?$/i.test(name)) return !SAMPLE_ENV.test(name);
  return KEY_FILE.test(name) || KEY_ENDS.test(name) || parts.some((part) => KEY_FOLDERS.has(part.toLowerCase()));
}

/** The name of which editors keep a copy (`.env~`, `#.env#`), and which some systems take for the same (`.env.`). */
const ofCopy = (name: string): string =>
  IS_COPY.test(name) ? name.replace(/^\.?#(.+?)#?$/, "$1").replace(/[~. ]+$/, "") : name;

const IS_COPY = /^\.?#|[~. ]$/;
