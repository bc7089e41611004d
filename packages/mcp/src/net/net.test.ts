import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { haftErrorIn } from "@haft/host/net";
import { describe, expect, it } from "vitest";
import { ELSEWHERE, LOOPBACK } from "../../../host/test/support/closed-addresses.ts";
import { guardedFetch } from "./guarded-fetch.ts";

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

  it.each(LOOPBACK)("Q12 a server in the open leads nobody to this machine (%s)", async (host) => {
    await using place = await local();
    const guard = guardedFetch({ server: new URL("https://mcp.example.com/mcp"), isVouched: true });
    const url = `http://${host}:${place.port}/`;
    // An address that cannot be parsed is refused before the guard; not every resolver knows a.localhost.
    if (URL.canParse(url))
      expect(await refusal(guard.fetch(url))).toMatch(/^(?:address_blocked|TypeError: fetch failed)$/);
    else await expect(guard.fetch(url)).rejects.toThrow("Invalid URL");
    expect(place.asked()).toBe(0);
    await guard.close();
  });

  it.each(ELSEWHERE)("Q12 a server in the open leads nobody into the network around (%s)", async (host) => {
    const guard = guardedFetch({ server: new URL("https://mcp.example.com/mcp"), isVouched: true });
    expect(await refusal(guard.fetch(`http://${host}:8080/`))).toBe("address_blocked");
    await guard.close();
  });

  it("Q12 a server of this machine may lead to others of it, but not into the network around it", async () => {
    await using place = await local();
    const guard = guardedFetch({ server: new URL(`http://localhost:${place.port}/mcp`), isVouched: true });
    expect(await (await guard.fetch(`http://localhost:${place.port}/`)).text()).toBe("here");
    expect(await (await guard.fetch(`http://127.0.0.1:${place.port}/`)).text()).toBe("here");
    expect(await refusal(guard.fetch("http://10.255.255.1:8080/"))).toBe("address_blocked");
    expect(await refusal(guard.fetch("http://169.254.169.254/latest/meta-data"))).toBe("address_blocked");
    await guard.close();
  });

  it("Q12 nobody's word opens the addresses at which a cloud keeps its credentials", async () => {
    const guard = guardedFetch({ server: new URL("http://169.254.169.254/mcp"), isVouched: true });
    expect(await refusal(guard.fetch("http://169.254.169.254/mcp"))).toBe("address_blocked");
    await guard.close();
  });
});
