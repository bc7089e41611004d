import { expect, it } from "vitest";
import { checkRuntime } from "./runtime.ts";

it("an old Node is refused with what to install", () => {
  for (const node of ["20.20.2", "22.12.9", "18.0.0"])
    expect(() => checkRuntime({ node })).toThrow(`haft needs Node 22.13 or newer; this is v${node}.`);
  for (const node of ["22.13.0", "24.1.0", "30.0.0"]) expect(() => checkRuntime({ node })).not.toThrow();
  expect(() => checkRuntime()).not.toThrow();
});

it("Bun is refused with the reason, for any Node version that it claims", () => {
  expect(() => checkRuntime({ node: "24.3.0", bun: "1.4.5" })).toThrow(
    /does not run on Bun; this is Bun 1\.4\.5\. .*print nothing/,
  );
});
