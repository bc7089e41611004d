import ipaddr from "ipaddr.js";

/** The zone of an address. `forbidden`: addresses that no server needs, including cloud metadata services. */
export type Zone = "public" | "private" | "loopback" | "forbidden";

/** Cloud metadata services with credentials, outside the link-local range. */
const METADATA = new Set(["fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"]);

/** Deprecated IPv4-compatible IPv6 addresses: servers no longer use them, but some systems still route them. */
const IPV4_COMPATIBLE = ipaddr.parseCIDR("::/96");

/** Ranges by their names in ipaddr.js; every other range is forbidden. */
const ZONES: Readonly<Record<string, Zone>> = {
  unicast: "public",
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "private",
  loopback: "loopback",
};

/** The zone of an IP address. An embedded IPv4 address counts as itself; text that is not an address is forbidden. */
export function zoneOf(address: string): Zone {
  if (!ipaddr.isValid(address)) return "forbidden";
  const plain = embedded(ipaddr.process(address));
  if (METADATA.has(plain.toString()) || isCompatible(plain)) return "forbidden";
  return ZONES[plain.range()] ?? "forbidden";
}

/** Whether an address is in a range such as `10.0.0.0/8`. An embedded IPv4 address counts as itself. */
export function isInRange(address: string, range: string): boolean {
  if (!ipaddr.isValid(address) || !ipaddr.isValidCIDR(range)) return false;
  const one = ipaddr.process(address);
  const [base, bits] = ipaddr.parseCIDR(range);
  return base.kind() === one.kind() && one.match(base, bits);
}

/** The canonical spelling of an address, for comparison. */
export const plainAddress = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;

const isCompatible = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address instanceof ipaddr.IPv6 && address.range() !== "loopback" && address.match(IPV4_COMPATIBLE);

/** NAT64 (RFC 6052) and 6to4 lead to the IPv4 address that they carry. */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === "rfc6052") return new ipaddr.IPv4(bytes.slice(12));
  return range === "6to4" ? new ipaddr.IPv4(bytes.slice(2, 6)) : address;
}
