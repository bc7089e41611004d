import ipaddr from "ipaddr.js";

/** Where an address lies. `forbidden`: where no server has any business, a cloud's own data among it. */
export type Zone = "public" | "private" | "loopback" | "forbidden";

/** Addresses at which clouds tell a machine its credentials, outside the link-local range. */
const METADATA = new Set(["fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"]);

/** Ranges by their names in ipaddr.js; what is not among them is forbidden. */
const ZONES: Readonly<Record<string, Zone>> = {
  unicast: "public",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "private",
  loopback: "loopback",
};

/** The zone of an IP address. An IPv4 address in an IPv6 one counts as itself; text that is no address is forbidden. */
export function zoneOf(address: string): Zone {
  if (!ipaddr.isValid(address)) return "forbidden";
  const plain = embedded(ipaddr.process(address));
  return METADATA.has(plain.toString()) ? "forbidden" : (ZONES[plain.range()] ?? "forbidden");
}

/** NAT64 (RFC 6052) and 6to4 lead to the IPv4 address that they carry. */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === "rfc6052") return new ipaddr.IPv4(bytes.slice(12));
  return range === "6to4" ? new ipaddr.IPv4(bytes.slice(2, 6)) : address;
}
