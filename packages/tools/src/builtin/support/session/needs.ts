import { type Absent, fail, type OfferContext, type PortName, type Ports } from "@haft/core/tool";

/** Requires a port of the session. A tool whose port is missing is not offered. */
export const needs =
  (port: PortName, absent: string) =>
  ({ ports, missing }: OfferContext): true | Absent =>
    ports.has(port) ? true : { absent: missing?.[port] ?? absent };

/** The port itself. Tools are not offered without it, so this fails only in a host that lies. */
export const portOf = <P extends PortName>(ports: Ports, port: P): NonNullable<Ports[P]> =>
  (ports[port] as NonNullable<Ports[P]> | undefined) ??
  fail("tool_unavailable", `This host has no ${port}.`, "Go on without it.");
