import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { haftErrorIn } from "../auth/need.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { zoneOf } from "./zone.ts";

describe("where an address lies", () => {
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
  ])("Q12 %s is %s", (address, zone) => {
    expect(zoneOf(address)).toBe(zone);
  });

  it("Q12 an IPv4 address lies where it does in every dress of IPv6, and no text is an error", () => {
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

describe("the guarded fetch", () => {
  async function local() {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end("here");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      port: (server.address() as AddressInfo).port,
      asked: () => asked,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  const refusal = (answer: Promise<Response>) =>
    answer.then(
      () => "answered",
      (thrown: unknown) => haftErrorIn(thrown)?.code ?? String(thrown),
    );

  it.each(["http://127.0.0.1", "http://localhost", "http://[::ffff:127.0.0.1]", "http://2130706433"])(
    "Q12 a server in the open leads nobody to this machine (%s)",
    async (origin) => {
      await using place = await local();
      const guard = guardedFetch({ server: new URL("https://mcp.example.com/mcp"), isVouched: true });
      expect(await refusal(guard.fetch(`${origin}:${place.port}/`))).toBe("address_blocked");
      expect(place.asked()).toBe(0);
      await guard.close();
    },
  );

  it("Q12 a server of this machine may lead to others of it, but not into the network around it", async () => {
    await using place = await local();
    const guard = guardedFetch({ server: new URL(`http://localhost:${place.port}/mcp`), isVouched: true });
    expect(await (await guard.fetch(`http://localhost:${place.port}/`)).text()).toBe("here");
    expect(await (await guard.fetch(`http://127.0.0.1:${place.port}/`)).text()).toBe("here");
    expect(await refusal(guard.fetch("http://10.255.255.1:9/"))).toBe("address_blocked");
    expect(await refusal(guard.fetch("http://169.254.169.254/latest/meta-data"))).toBe("address_blocked");
    await guard.close();
  });

  it("Q12 nobody's word opens the addresses at which a cloud keeps its credentials", async () => {
    const guard = guardedFetch({ server: new URL("http://169.254.169.254/mcp"), isVouched: true });
    expect(await refusal(guard.fetch("http://169.254.169.254/mcp"))).toBe("address_blocked");
    await guard.close();
  });
});
