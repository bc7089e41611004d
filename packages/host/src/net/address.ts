import { fail, portOf } from "@haft/core/tool";

/** Web ports below 1024; the others belong to mail, shells, printers and name services. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443, 591]);

/** Parses and checks an address for a request. @throws HaftError `invalid_input` or `address_blocked` */
export function checkedAddress(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (!url)
    return fail(
      "invalid_input",
      `"${address}" is not an address.`,
      "Write the whole address: https://example.com/page.",
    );
  if (url.protocol !== "http:" && url.protocol !== "https:")
    fail(
      "address_blocked",
      `${url.protocol} addresses are not fetched.`,
      url.protocol === "file:" ? "Read files with Read." : "Only http: and https: are.",
    );
  if (url.username !== "" || url.password !== "")
    fail(
      "address_blocked",
      "The address carries a user name or password, which would be sent to the server.",
      "Leave the part before the @ out.",
    );
  const port = portOf(url);
  if (port < 1024 && !WEB_PORTS.has(port))
    fail("address_blocked", `Port ${port} is not a web port.`, "Use a web address: ports 80, 443 or above 1023.");
  return url;
}
