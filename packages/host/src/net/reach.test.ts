import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachOf } from "./reach.ts";

const leadingTo =
  (...addresses: string[]) =>
  async () =>
    addresses;
const open = { addresses: ["93.184.216.34"] };

describe("the addresses that a command may connect to", () => {
  it.each([
    [["example.org"], "example.org", true],
    [["example.org"], "EXAMPLE.org.", true],
    [["*.example.org"], "a.b.example.org", true],
    [["*.example.org"], "example.org", false],
    [["example.org"], "example.org.evil.com", false],
    [["example.org"], "evilexample.org", false],
    [["example.org:8443"], "example.org", false],
    [["*"], "anything.example", true],
    [[], "example.org", false],
    [["10.0.0.0/8"], "example.org", false],
    [["example.org"], "example.org\0.evil.com", false],
    [["example.org"], "user@example.org", false],
  ])("G15 %j and %j: %s", async (list, host, expected) => {
    const found = await reachOf(list, leadingTo("93.184.216.34")).resolve(host, 443);
    expect("addresses" in found).toBe(expected);
  });

  const CLOSED = [
    ...["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    ...["224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe"],
    ...["64:ff9b::7f00:1", "2002:7f00:1::1", "fd00:ec2::254", "64:ff9b:1::7f00:1", "fec0::1", "198.18.0.1"],
    ...["168.63.129.16", "::7f00:1", "::a9fe:a9fe", "100::1", "192.0.0.192"],
  ];
  it.each(CLOSED)("G15 a name that leads to %s leads nowhere, beside public answers too", async (address) => {
    for (const list of [["*"], ["example.org"]]) {
      for (const answers of [[address], ["93.184.216.34", address]])
        expect(await reachOf(list, leadingTo(...answers)).resolve("example.org", 80)).toHaveProperty("refused");
    }
    expect(await reachOf(["*"]).resolve(address, 80)).toHaveProperty("refused");
  });

  it("G15 an address that is not public opens by its own name, or by its range", async () => {
    expect(await reachOf(["127.0.0.1:3000"]).resolve("127.0.0.1", 3000)).toEqual({ addresses: ["127.0.0.1"] });
    expect(await reachOf(["127.0.0.1:3000"]).resolve("127.0.0.1", 3001)).toHaveProperty("refused");
    expect(await reachOf(["[::1]:3000"]).resolve("[::1]", 3000)).toEqual({ addresses: ["::1"] });
    expect(await reachOf(["localhost"], leadingTo("127.0.0.1")).resolve("localhost", 1)).toHaveProperty("addresses");
    expect(await reachOf(["10.0.0.0/8"]).resolve("10.9.9.9", 80)).toEqual({ addresses: ["10.9.9.9"] });
    const inside = reachOf(["git.corp", "10.0.0.0/8"], leadingTo("10.9.9.9"));
    expect(await inside.resolve("git.corp", 80)).toEqual({ addresses: ["10.9.9.9"] });
    expect(await inside.resolve("other.corp", 80)).toHaveProperty("refused");
    expect(await inside.resolve("11.0.0.1", 80)).toHaveProperty("refused");
  });

  it("G15 a name that is not known is refused, and the list is looked at before the name", async () => {
    let asked = 0;
    const reach = reachOf(["example.org"], async () => {
      asked += 1;
      throw new Error("unknown");
    });
    expect(await reach.resolve("example.org", 80)).toEqual({ refused: "example.org has no address.", isUnknown: true });
    expect(await reach.resolve("secret.evil.com", 80)).toHaveProperty("refused");
    expect(asked).toBe(1);
  });

  it("G15 law: no list of names ever reaches an address that is not public", async () => {
    const octets = fc.tuple(fc.constantFrom(10, 127, 169, 192), fc.nat(255), fc.nat(255), fc.nat(255));
    const address = octets.map(([a, b, c, d]) => `${a}.${a === 169 ? 254 : a === 192 ? 168 : b}.${c}.${d}`);
    const dressed = address.chain((plain) => fc.constantFrom(plain, `::ffff:${plain}`));
    await fc.assert(
      fc.asyncProperty(dressed, fc.constantFrom("*", "*.org", "a.org"), async (where, entry) => {
        const found = await reachOf([entry], leadingTo(...open.addresses, where)).resolve("a.org", 443);
        expect(found).toHaveProperty("refused");
      }),
    );
  });
});
