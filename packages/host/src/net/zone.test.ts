import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zoneOf } from "./zone.ts";

describe("the zone of an address", () => {
  it.each([
    ["93.184.216.34", "public"],
    ["2606:4700::1111", "public"],
    ["10.1.2.3", "private"],
    ["192.168.0.1", "private"],
    ["fd12::1", "private"],
    ["100.64.0.1", "private"],
    ["127.0.0.1", "loopback"],
    ["::1", "loopback"],
    ["169.254.169.254", "forbidden"],
    ["fe80::1", "forbidden"],
    ["fd00:ec2::254", "forbidden"],
    ["100.100.100.200", "forbidden"],
    ["0.0.0.0", "forbidden"],
    ["255.255.255.255", "forbidden"],
    ["224.0.0.1", "forbidden"],
    ["no address", "forbidden"],
  ])("M01 %s is %s", (address, zone) => {
    expect(zoneOf(address)).toBe(zone);
  });

  it("M01 an IPv4 address lies where it does in every dress of IPv6, and no text is an error", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const hex = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
        const [high, low] = [hex.slice(0, 2).join(""), hex.slice(2).join("")];
        for (const dress of [
          `::ffff:${address}`,
          `::ffff:${high}:${low}`,
          `64:ff9b::${high}:${low}`,
          `2002:${high}:${low}::`,
        ])
          expect(zoneOf(dress)).toBe(zoneOf(address));
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => ["public", "private", "loopback", "forbidden"].includes(zoneOf(text))),
    );
  });
});
