import { randomBytes } from "node:crypto";

/** Browsers that have shown a token. Each gets a cookie of its own, so that the token itself is stored nowhere. */
export interface Logins {
  /** The header that gives a browser its cookie. */
  open(client: string): string;
  /** The client of a browser, by its `Cookie` header. */
  clientOf(cookies: string | undefined): string | undefined;
  /** Forgets a browser. Returns the header that removes its cookie. */
  close(cookies: string | undefined): string;
}

/** More browsers than this lose the oldest login. */
const MOST = 200;

/** Cookies do not know ports, so the name of the cookie carries the port: two servers of one host keep apart. */
export function createLogins(port: () => number): Logins {
  const clients = new Map<string, string>();
  const name = (): string => `haft-${port()}`;
  const idIn = (cookies = ""): string | undefined =>
    cookies
      .split(/; */)
      .find((pair) => pair.startsWith(`${name()}=`))
      ?.slice(name().length + 1);
  const cookie = (value: string, more = ""): string => `${name()}=${value}; Path=/; HttpOnly; SameSite=Strict${more}`;
  return {
    open(client) {
      const id = randomBytes(32).toString("base64url");
      clients.set(id, client);
      const [oldest] = clients.keys();
      if (clients.size > MOST && oldest !== undefined) clients.delete(oldest);
      return cookie(id);
    },
    clientOf: (cookies) => clients.get(idIn(cookies) ?? ""),
    close(cookies) {
      clients.delete(idIn(cookies) ?? "");
      return cookie("", "; Max-Age=0");
    },
  };
}
